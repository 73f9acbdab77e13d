// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchIdentity

/// Where an administrator's wishes are done: at a store, or by a server.
protocol AccountOffice: Sendable {
    /// The newest accounts first, as many as asked for, and how many there are; nil for "more than are counted".
    func list(_ wish: ListWish) async throws -> (accounts: [AdministeredAccount], total: Int, isMinimum: Bool)
    /// The account of an address, a username or an id.
    ///
    /// - Throws: `CommandError.noAccount`, or what the server answers.
    func account(_ who: String) async throws -> AdministeredAccount
    func setRole(_ role: Role, of id: String) async throws -> AdministeredAccount
    func setStatus(
        _ status: LatchIdentity.Account.Status, of id: String, because reason: String
    ) async throws -> AdministeredAccount
    /// Says how many there were.
    func endSessions(of id: String) async throws -> Int
    /// False where there was none.
    func removeFactor(of id: String) async throws -> Bool
    func delete(_ id: String, isFinal: Bool, because reason: String) async throws
}

extension CommandError {
    /// There is no such account, or none that the caller may see.
    static func noAccount(_ who: String) -> CommandError {
        .failed("There is no account '\(who)'.", hint: "'latch admin user list --search TEXT' finds accounts.")
    }
}

/// Which accounts a list is to show.
struct ListWish: Sendable, Hashable {
    var search = ""
    var role: Role?
    var standing: Standing?
    var isVerified: Bool?
    var limit = 50
}
