// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchRPC
import ServedIdentity

/// Messages that are small only as long as they are compressed.
enum ExpansionFlood {
    /// The tag of a field, and the content of a length.
    private static func field(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var (rest, bytes) = (content.count, [tag])
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)] + content
    }

    /// A profile of two million empty links, each of which is an object.
    static let links = field(0x4A, Array(repeating: [UInt8(0x4A), 0], count: 2_000_000).flatMap(\.self))

    /// Measures the time of `/readyz` while ten connections send such messages.
    static func measureResponseTimes(_ served: ServerProcess, report: inout Report) async throws {
        let bomb = try RPCCompression.gzip.compress(links)
        report.note("bytes of a message", Double(bomb.count))
        let access = try await AbuseClient(served.url).signUp("eve")
        for (name, method, bearer) in [
            ("no token", "UpdateProfile", nil), ("a token", "UpdateProfile", access), ("Register", "Register", nil),
        ] as [(String, String, String?)] {
            let flood = Task {
                await withTaskGroup(of: Int.self) { group in
                    for _ in 0..<10 { group.addTask { await send(bomb, to: method, served, bearer) } }
                    return await group.reduce(0, +)
                }
            }
            let samples = try await readinessTimes(served, for: .seconds(6))
            flood.cancel()
            report.require("unexpected responses", Double(await flood.value), below: 1)
            report.require("/readyz p99, ms: \(name)", percentile99(samples.map(\.time)), below: 50)
            // Where the slowest was: a loop that computes is the server's fault, one that waits the host's.
            guard let slowest = samples.max(by: { $0.time < $1.time }) else { continue }
            report.note("  slowest of \(samples.count), ms", slowest.time)
            report.note("  the loop computed meanwhile, ms", slowest.loop.computing)
            report.note("  and waited for a processor, ms", slowest.loop.waiting)
        }
        report.note("resident after the flood, MiB", try served.residentMiB())
    }

    /// Sends a message again and again until the task is cancelled; returns the number of unexpected responses.
    private static func send(
        _ message: [UInt8], to method: String, _ served: ServerProcess, _ bearer: String?
    ) async -> Int {
        let client = AbuseClient(served.url)
        var unexpected = 0
        while !Task.isCancelled {
            // The cancellation ends the request in progress.
            guard let response = try? await client.call(method, message, bearer: bearer) else { continue }
            if !response.status.isClientError, response.status != .serviceUnavailable { unexpected += 1 }
        }
        return unexpected
    }

    /// The time of one request, and what the server's loop did in it, in milliseconds.
    private struct Sample {
        let time: Double
        let loop: ServerProcess.ThreadTimes
    }

    private static func readinessTimes(_ served: ServerProcess, for duration: Duration) async throws -> [Sample] {
        let client = AbuseClient(served.url)
        _ = try await client.send(.get, "/readyz")
        var samples: [Sample] = []
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {
            let before = served.loopTimes()
            let begin = ContinuousClock.now
            _ = try await client.send(.get, "/readyz")
            let time = (ContinuousClock.now - begin) / .milliseconds(1)
            samples.append(Sample(time: time, loop: served.loopTimes().since(before)))
            try await Task.sleep(for: .milliseconds(5))
        }
        return samples
    }

    /// Measures the memory of the server while 128 calls wait for a hash with four megabytes of unknown fields each.
    static func measureMemory(_ served: ServerProcess, report: inout Report) async throws {
        let access = try await AbuseClient(served.url).signUp("eve")
        let passwords = field(0x0A, Array(AbuseClient.password.utf8)) + field(0x12, Array("another sentence".utf8))
        // Field 100 is unknown, and kept.
        let unknown = [UInt8(0xA2)] + field(0x06, [UInt8](repeating: 0, count: 4_000_000))
        let message = try RPCCompression.gzip.compress(passwords + unknown)
        let rest = try served.residentMiB()
        report.note("resident before, MiB", rest)
        let flood = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<128 {
                    let client = AbuseClient(served.url)
                    group.addTask {
                        for _ in 0..<3 { _ = try? await client.call("ChangePassword", message, bearer: access) }
                    }
                }
            }
        }
        let peak = Task {
            var highest = 0.0
            while !Task.isCancelled {
                highest = max(highest, try served.residentMiB())
                try? await Task.sleep(for: .milliseconds(5))
            }
            return highest
        }
        await flood.value
        peak.cancel()
        report.require("resident at most, MiB", try await peak.value, below: 256 + 64)
        try await Task.sleep(for: .seconds(10))
        report.require("kept after ten seconds, MiB", try served.residentMiB() - rest, below: 64)
    }
}
