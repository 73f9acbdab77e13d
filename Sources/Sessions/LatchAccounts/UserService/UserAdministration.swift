// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

// MARK: - Administration

extension AuthClient {
    /// Gives another user a role; only for administrators.
    ///
    /// - Parameters:
    ///   - role: The role as ``AccountProfile/role`` has it, such as `moderator`.
    ///   - id: The identifier of the account.
    /// - Throws: `AuthError.stepUpRequired` if the sign-in is not recent, and `AccountError.refused` with the server's
    ///   code `forbidden`, `lastAdministrator` or `noSuchAccount`.
    @discardableResult
    public func setRole(_ role: String, of id: String) async throws -> AccountProfile {
        try await change("SetUserRole", ["userId": .string(id), "role": .string("USER_ROLE_\(Self.constant(role))")])
    }

    /// Changes the status of another user.
    ///
    /// Moderators can suspend accounts; every other change is for administrators.
    ///
    /// - Parameters:
    ///   - status: The status as ``AccountProfile/status`` has it: `suspended` ends the sessions, `active` reopens the
    ///     account.
    ///   - id: The identifier of the account.
    /// - Throws: As ``setRole(_:of:)``.
    @discardableResult
    public func setStatus(_ status: String, of id: String) async throws -> AccountProfile {
        try await change(
            "SetUserStatus", ["userId": .string(id), "status": .string("USER_STATUS_\(Self.constant(status))")])
    }

    /// Returns the name of an enumeration's value as .proto files write it, in capitals.
    private static func constant(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }, as: UTF8.self)
    }

    private func change(_ method: String, _ content: JSONObject) async throws -> AccountProfile {
        guard let profile = AccountProfile(try await call(method, content)) else { throw AccountError.invalidResponse }
        return profile
    }
}
