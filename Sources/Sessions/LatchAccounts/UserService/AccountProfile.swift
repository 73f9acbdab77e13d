// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP
import Synchronization

/// The profile of a user, as the user and administrators see it.
public struct AccountProfile: Sendable, Hashable, Codable, Identifiable {
    /// The server's identifier of the account.
    public let id: String
    /// The email address.
    public var email: String
    /// The user name; empty if the user has none.
    public var username = ""
    /// The given name; empty if it is not set.
    public var firstName = ""
    /// The family name; empty if it is not set.
    public var lastName = ""
    /// The name that other users see.
    public var displayName = ""
    /// Whether the address is verified.
    public var isEmailVerified = false
    /// The role, such as `admin`.
    public var role = "user"
    /// The status, such as `active`.
    public var status = "active"
    /// The date on which the account was created; nil if the server does not state it.
    public var creationDate: Date?

    /// Creates a profile.
    public init(id: String, email: String) {
        self.id = id
        self.email = email
    }

    /// Creates a profile from a message; nil if the message has no identifier.
    init?(_ members: JSONObject) {
        guard let id = members.filled("id") else { return nil }
        self.init(id: id, email: members.filled("email") ?? "")
        username = members.filled("username") ?? ""
        firstName = members.filled("firstName") ?? ""
        lastName = members.filled("lastName") ?? ""
        displayName = members.filled("displayName") ?? ""
        isEmailVerified = members["emailVerified"] == true
        role = Self.name(members["role"], prefix: "USER_ROLE_") ?? role
        status = Self.name(members["status"], prefix: "USER_STATUS_") ?? status
        creationDate = members.timestamp("createdAt")
    }

    /// Returns the name of an enumeration's value without its prefix, in lowercase.
    private static func name(_ value: JSONValue?, prefix: String) -> String? {
        guard let text = value?.stringValue, text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(text.unicodeScalars.dropFirst(prefix.utf8.count)).lowercasedASCII()
    }
}

/// A page of the users.
public struct AccountPage: Sendable, Hashable {
    /// The accounts of this page, in the server's order.
    public var users: [AccountProfile]
    /// The cursor of the next page; nil on the last one.
    public var next: String?
    /// The number of users on all pages.
    public var total: Int

    /// Creates a page.
    public init(users: [AccountProfile], next: String? = nil, total: Int) {
        self.users = users
        self.next = next
        self.total = total
    }
}

extension AuthClient {
    /// Returns the profile of the signed-in user.
    ///
    /// Without a user service, it comes from the backend's own route.
    public func accountProfile() async throws -> AccountProfile {
        let id = try await accountID()
        do {
            return try profile(in: try await call("GetProfile", ["userId": .string(id)]))
        } catch AccountError.notSupported {
            let account = try await profile()
            // The backend's own route answers, and every user service has a profile: so this backend has no user
            // service.
            userServiceIsMissing.withLock { $0 = true }
            var profile = AccountProfile(id: account.id, email: account.email)
            profile.displayName = account.name ?? ""
            return profile
        }
    }

    /// Changes the names of the signed-in user, and requests a change of the address.
    ///
    /// A new address takes effect after both the old and the new mailbox have confirmed it. Until then the result has
    /// the old address.
    ///
    /// - Throws: `AccountError.emailTaken` for a user name or an address of another account, `invalidEmail`, `refused`.
    ///   `AuthError.stepUpRequired` for a new address or user name if the sign-in is not recent.
    @discardableResult
    public func update(_ profile: AccountProfile) async throws -> AccountProfile {
        var content: JSONObject = [
            "userId": .string(profile.id), "firstName": .string(profile.firstName),
            "lastName": .string(profile.lastName), "displayName": .string(profile.displayName),
        ]
        // Empty values change nothing: an account keeps its address, and proto3 cannot distinguish an empty name from a
        // missing one.
        if !profile.email.isEmpty { content["email"] = .string(profile.email) }
        if !profile.username.isEmpty { content["username"] = .string(profile.username) }
        return try self.profile(in: try await call("UpdateProfile", content))
    }

    /// Deletes the account of the signed-in user, and signs out on this device.
    ///
    /// - Throws: `AuthError.stepUpRequired` if the sign-in is not recent.
    public func deleteAccount() async throws {
        let id = try await accountID()
        _ = try await call("DeleteUser", ["userId": .string(id), "hardDelete": true])
        _ = try await session.signOut()
    }

    /// Returns a page of the users, for administrators.
    ///
    /// - Parameters:
    ///   - search: A part of a name or an address; empty for all users.
    ///   - cursor: The cursor of the previous page; nil for the first page.
    ///   - limit: The size of a page.
    /// - Throws: `AccountError.refused` with the server's code `forbidden` if the user is not an administrator.
    public func users(matching search: String = "", after cursor: String? = nil, limit: Int = 50) async throws
        -> AccountPage
    {
        var content: JSONObject = ["limit": .integer(Int64(limit))]
        if !search.isEmpty { content["searchQuery"] = .string(search) }
        if let cursor { content["cursor"] = .string(cursor) }
        let members = try await call("GetUsers", content)
        let users = (members["users"]?.arrayValue ?? []).compactMap { $0.objectValue.flatMap(AccountProfile.init) }
        return AccountPage(
            users: users, next: members.filled("nextCursor"), total: members["totalCount"]?.intValue ?? 0)
    }

    private func profile(in members: JSONObject) throws(AccountError) -> AccountProfile {
        guard let profile = AccountProfile(members) else { throw .invalidResponse }
        return profile
    }
}
