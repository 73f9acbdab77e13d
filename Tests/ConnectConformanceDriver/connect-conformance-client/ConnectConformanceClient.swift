// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import Foundation

/// The client that Connect's conformance runner tests.
///
///     connectconformance --mode client --conf CONFIGURATION .build/debug/connect-conformance-client
@main struct ConnectConformanceClient {
    /// The number of concurrent calls.
    nonisolated private static let width = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 8

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latch-connect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeQuietly(folder) }
        try await converse(ConformanceClient(folder: folder))
    }

    /// Makes the calls that are asked for, until the input ends.
    nonisolated private static func converse(_ client: ConformanceClient) async throws {
        let output = DelimitedOutput(.standardOutput)
        var requests = requests().makeAsyncIterator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            var count = 0
            while let request = await requests.next() {
                if count >= width { try await group.next() }
                count += 1
                group.addTask {
                    try output.write(await client.answer(request))
                }
            }
            try await group.waitForAll()
        }
    }

    /// The requests of the runner; reading blocks, so it has a thread of its own.
    nonisolated private static func requests() -> AsyncStream<ClientCompatRequest> {
        let (stream, continuation) = AsyncStream.makeStream(of: ClientCompatRequest.self)
        Thread.detachNewThread {
            do {
                while let request = try DelimitedMessages.next(ClientCompatRequest.self, from: .standardInput) {
                    continuation.yield(request)
                }
            } catch {
                FileHandle.standardError.write(Data("connect-conformance-client: \(error)\n".utf8))
            }
            continuation.finish()
        }
        return stream
    }

    private static func removeQuietly(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            FileHandle.standardError.write(Data("connect-conformance-client: \(error)\n".utf8))
        }
    }
}
