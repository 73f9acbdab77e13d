// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import latch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct EndOfProcessTests {
    /// A manager of services and a terminal that closes send several.
    @Test(arguments: [[SIGINT], [SIGTERM], [SIGHUP], [SIGTERM, SIGHUP, SIGTERM], [SIGHUP, SIGINT]])
    func `A signal during a refresh ends the command only after the response is stored`(signals: [Int32])
        async throws
    {
        let gate = Gate()
        try await ScriptedIssuer.with(answeringRefreshesAfter: gate) { issuer in
            try await CommandHome.with { home in
                try await home.login("ada", at: issuer.url)
                let own = BuiltProgram.environment(["LATCH_HOME": home.path])
                let process = try ChildProcess.start(
                    BuiltProgram.path, ["token", "--refresh"], environment: own, errors: .joined)
                await gate.reached()
                process.send(signals[0])
                let notice = await process.line()
                expectEqual(notice?.contains("waiting for a refresh"), true)
                for signal in signals.dropFirst() where signal != SIGINT { process.send(signal) }
                gate.open()
                while await process.line() != nil {}
                await expectEqual(process.end(), .killed(by: signals[0]))
                try await expectEqual(home.latch("token").output, ["access-2"])
                expectEqual(issuer.world.withLock { $0.renewals }, 1)
            }
        }
    }
}
