// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchJOSE
import SessionHistories
import Synchronization

/// The operations of the families of one account, as its clients see them.
final class HistoryRecorder: Sendable {
    /// A response with tokens that are none.
    struct MalformedToken: Error {}

    /// A family: its operations, and the tokens that were issued to it.
    struct Family: Sendable {
        let device: [UInt8]
        var operations: [FamilyOperation]
        /// The newest access token.
        var access: String
        /// The different texts of each generation's refresh token.
        var texts: [Int: [String]] = [:]
    }

    /// The families, and what may have an effect on all of them.
    private struct State {
        var families: [Family] = []
        var everywhere: [(origin: Int, operation: FamilyOperation)] = []
        var invocations = 0
        var events: [(time: Duration, text: String)] = []
        var findings: [String] = []
        var passwordChanges: [PasswordChange] = []
        var accounts: [AcknowledgedAccount] = []
    }

    private let state = Mutex(State())
    private let begin = ContinuousClock.now

    /// The time since the begin of the history.
    var now: Duration { ContinuousClock.now - begin }

    var families: [Family] {
        state.withLock { state in
            state.families.enumerated().map { index, family in
                var family = family
                family.operations += state.everywhere.filter { $0.origin != index }.map(\.operation)
                return family
            }
        }
    }

    /// The number of requests so far.
    var invocations: Int { state.withLock { $0.invocations } }

    /// The faults, and the answers that say nothing of a family, by their times.
    var events: [String] {
        state.withLock { $0.events }.sorted { $0.time < $1.time }
            .map { "\(Int(($0.time / .milliseconds(1)).rounded())) ms: \($0.text)" }
    }

    /// What must not be, beside a family without an order.
    var findings: [String] { state.withLock { $0.findings } }

    /// The changes of the account's password that may have taken effect.
    var passwordChanges: [PasswordChange] { state.withLock { $0.passwordChanges } }

    /// The further accounts whose creation was acknowledged.
    var accounts: [AcknowledgedAccount] { state.withLock { $0.accounts } }

    /// Records an event, for the report of a family without an order.
    func note(_ text: String) { state.withLock { $0.events.append((now, text)) } }

    /// Records what must not be.
    func find(_ text: String) { state.withLock { $0.findings.append(text) } }

    /// Records a change of the account's password.
    func record(_ change: PasswordChange) { state.withLock { $0.passwordChanges.append(change) } }

    /// Records the acknowledged creation of a further account.
    func record(_ account: AcknowledgedAccount) { state.withLock { $0.accounts.append(account) } }

    func invoke() { state.withLock { $0.invocations += 1 } }

    /// Records a login and the family that it made.
    func signIn(_ refresh: String, access: String, _ operation: (FamilyOperation.Outcome) -> FamilyOperation) throws {
        let parts = try Self.parts(of: refresh)
        try checkDate(of: access)
        let operation = operation(.issued(IssuedToken(generation: parts.generation)))
        state.withLock { state in
            state.families.append(
                Family(
                    device: parts.device, operations: [operation], access: access,
                    texts: [parts.generation: [refresh]]))
        }
    }

    func record(_ operation: FamilyOperation, of family: Int) {
        state.withLock { $0.families[family].operations.append(operation) }
    }

    /// Records an operation of a family that signs out all the others.
    func recordEverywhere(_ operation: FamilyOperation, by family: Int) {
        state.withLock { $0.everywhere.append((family, operation)) }
    }

    /// Returns a token that a family was issued, and records its access token.
    func issued(_ text: String, access: String, to family: Int) throws -> IssuedToken {
        let parts = try Self.parts(of: text)
        try checkDate(of: access)
        return state.withLock { state in
            state.families[family].access = access
            var texts = state.families[family].texts[parts.generation, default: []]
            // A token of another device is another text as well.
            if !texts.contains(text) { texts.append(text) }
            state.families[family].texts[parts.generation] = texts
            let isForeign = parts.device != state.families[family].device
            return IssuedToken(
                generation: isForeign ? -1 : parts.generation, text: texts.firstIndex(of: text) ?? 0)
        }
    }

    /// Records an access token that was not issued just now (RFC 7519 §4.1.6), whatever date its server's machine has: the
    /// date of the database counts, which is this machine's.
    private func checkDate(of access: String) throws {
        let parts = access.split(separator: ".")
        guard parts.count == 3, let issued = try JSONValue(parsing: try Base64URL.decode(parts[1]))["iat"]?.intValue
        else { throw MalformedToken() }
        let seconds = issued - Int(Date().timeIntervalSince1970)
        if abs(seconds) >= 20 { find("a token began \(seconds) seconds from the date of the database") }
    }

    /// Returns device and generation: `lr1.` and base64url of 16 bytes, 4 bytes and a code.
    private static func parts(of text: String) throws -> (device: [UInt8], generation: Int) {
        let bytes = try Base64URL.decode(text.dropFirst(4))
        guard bytes.count == 52 else { throw MalformedToken() }
        return (Array(bytes[..<16]), bytes[16..<20].reduce(0) { $0 << 8 | Int($1) })
    }
}
