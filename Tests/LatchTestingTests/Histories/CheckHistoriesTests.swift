// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchProcess
import TestSupport
import Testing

/// A small part of what `make nightly` plays: three processes of `latch serve` over one store, and their kills.
@Suite struct CheckHistoriesTests {
    private func check(_ arguments: String...) async throws -> (ending: ChildProcess.Termination, verdict: String) {
        let program = try BuiltProgram.path("check-histories").path
        // No other test may get the port of a server between its kill and its next start.
        let environment = ProcessInfo.processInfo.environment.merging(["LATCH_HISTORIES_HOST": Loopback.address(5)]) {
            $1
        }
        let (ending, output) = try await ChildProcess.run(
            program, arguments, environment: environment, errors: .joined)
        return (ending, String(decoding: output, as: UTF8.self))
    }

    /// The seeds of two stores: with a window in which an old token is repeated, and without.
    @Test func `Servers over one store keep each family in order while they are killed`() async throws {
        let (ending, verdict) = try await check("48", "51")
        expectEqual(ending, .exited(0), "\(verdict)")
        #expect(verdict.hasPrefix("4 histories, "), "\(verdict)")
        #expect(verdict.contains("; 4 kills; "), "\(verdict)")
        #expect(verdict.contains("; 0 findings, 0 undecided"), "\(verdict)")
    }

    @Test func `Servers over one store are not started with invalid numbers`() async throws {
        try await expectEqual(check("2", "1").ending, .exited(2))
        try await expectEqual(check("one").ending, .exited(2))
    }
}
