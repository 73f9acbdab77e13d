// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import ServedIdentity

/// Sign-ups of many accounts at the same time.
enum SignUpFlood {
    /// Measures how many honest logins succeed within two seconds during the flood.
    static func measure(_ served: ServerProcess, report: inout Report) async throws {
        _ = try await AbuseClient(served.url).signUp("ada")
        let flood = Task {
            await withTaskGroup(of: Int.self) { group in
                for connection in 0..<64 {
                    let client = AbuseClient(served.url)
                    group.addTask {
                        var number = 0
                        while !Task.isCancelled {
                            number += 1
                            _ = try? await client.post(
                                "/auth/signup",
                                [
                                    "email": .string("flood-\(connection)-\(number)@example.com"),
                                    "password": .string(AbuseClient.password),
                                ])
                        }
                        return number
                    }
                }
                return await group.reduce(0, +)
            }
        }
        try await Task.sleep(for: .seconds(1))
        let client = AbuseClient(served.url)
        var times: [Double] = []
        var successes = 0
        for _ in 0..<60 {
            let begin = ContinuousClock.now
            let response = try await client.post(
                "/auth/login", ["email": "ada@example.com", "password": .string(AbuseClient.password)])
            let time = (ContinuousClock.now - begin) / .milliseconds(1)
            times.append(time)
            if response.status == .ok, time < 2000 { successes += 1 }
            try await Task.sleep(for: .milliseconds(50))
        }
        flood.cancel()
        report.note("sign-ups sent", Double(await flood.value))
        report.note("honest login p99, ms", percentile99(times))
        report.require("honest logins within 2 s, %", Double(successes) * 100 / 60, atLeast: 95)
    }
}
