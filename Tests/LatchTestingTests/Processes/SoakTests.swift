// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchProcess
import LatchTesting
import TestSupport
import Testing

/// A small part of what `make nightly` plays: real processes, the real server, real files.
@Suite struct SoakTests {
    /// The verdict of `soak-session`; its exit code says whether each expiry cost one refresh and nobody was lost.
    private func soak(_ arguments: String...) async throws -> (ending: ChildProcess.Termination, verdict: String) {
        let program = try BuiltProgram.path("soak-session").path
        let (ending, output) = try await ChildProcess.run(program, arguments, errors: .joined)
        return (ending, String(decoding: output, as: UTF8.self))
    }

    @Test func `Processes of one person refresh once for all of them at each expiry`() async throws {
        let (ending, verdict) = try await soak("expiries", "16", "4", "8")
        expectEqual(ending, .exited(0), "\(verdict)")
        #expect(verdict.contains("8 refreshes, 512 requests, 0 failures"), "\(verdict)")
    }

    @Test func `Processes of one person stay signed in whenever some of them are killed`() async throws {
        let (ending, verdict) = try await soak("kills", "4", "4", "40")
        expectEqual(ending, .exited(0), "\(verdict)")
        #expect(verdict.hasPrefix("40 × kill -9"), "\(verdict)")
    }

    @Test(.enabled("needs a mount namespace") { await canMount() })
    func `Processes of one person use a valid token in a read-only home, and lose nothing there`() async throws {
        let (ending, verdict) = try await soak("readonly", "1", "2", "1")
        expectEqual(ending, .exited(0), "\(verdict)")
        #expect(verdict.contains("with a valid token 4 served, failed: none"), "\(verdict)")
    }

    @Test func `Processes of one person are refused with invalid numbers`() async throws {
        try await expectEqual(soak("kills", "4", "0", "1").ending, .exited(2))
        try await expectEqual(soak("naps").ending, .exited(2))
    }
}

/// Whether this system lets a program mount something that nobody else sees.
private func canMount() async -> Bool {
    for user in [[], ["--user", "--map-root-user"]] {
        let arguments = user + ["--mount", "/bin/true"]
        do {
            if try await ChildProcess.run("/usr/bin/unshare", arguments).ending == .exited(0) { return true }
        } catch {
            return false
        }
    }
    return false
}
