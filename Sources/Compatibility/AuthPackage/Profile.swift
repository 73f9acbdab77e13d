// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchCore

/// The profile of a user, as a screen edits it.
public struct UserProfile: Codable, Equatable, Identifiable, Sendable {
    /// The identifier of the profile.
    public let id: UUID
    /// The URL of a picture.
    public var avatarURL: URL?
    /// The user name.
    public var username: String
    /// The email address.
    public var email: String
    /// The telephone number.
    public var phoneNumber: String?

    /// Creates a profile.
    public init(
        id: UUID = UUID(), avatarURL: URL? = nil, username: String, email: String, phoneNumber: String? = nil
    ) {
        self.id = id
        self.avatarURL = avatarURL
        self.username = username
        self.email = email
        self.phoneNumber = phoneNumber
    }
}

/// The rules of a profile's fields.
public enum ProfileRules {
    /// Whether a user name has at least two characters, apart from spaces around it.
    public static func validateUsername(_ username: String) -> Bool {
        username.trimmingCharacters(in: .whitespacesAndNewlines).unicodeScalars.count >= 2
    }

    /// Whether a text looks like an email address; only a received email proves it.
    public static func validateEmail(_ email: String) -> Bool {
        let parts = email.trimmingCharacters(in: .whitespacesAndNewlines).utf8
            .split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return false }
        let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
            && parts.allSatisfy { $0.allSatisfy { $0 > 0x20 && $0 != 0x7F } }
    }
}

/// A store of the signed-in user's profile.
public protocol ProfileStore: Sendable {
    /// Returns the profile; nil if there is none.
    func load() async throws -> UserProfile?
    /// Replaces the profile.
    func save(_ profile: UserProfile) async throws
}

/// A store that forgets its profile when the process ends.
public actor InMemoryProfileStore: ProfileStore {
    private var profile: UserProfile?

    /// Creates a store, with or without a profile.
    public init(_ profile: UserProfile? = nil) { self.profile = profile }

    /// Returns the profile; nil if there is none.
    public func load() -> UserProfile? { profile }

    /// Replaces the profile.
    public func save(_ profile: UserProfile) { self.profile = profile }
}

/// A store of a profile in a secret store; the profile outlives the process.
public struct SecretProfileStore: ProfileStore {
    private let secrets: any SecretStore
    private static let name = "profile"

    /// Creates a store that keeps the profile as JSON among the secrets.
    public init(_ secrets: any SecretStore) { self.secrets = secrets }

    /// Returns the profile; nil if there is none.
    public func load() async throws -> UserProfile? {
        try await secrets.read(Self.name).map { try JSONDecoder().decode(UserProfile.self, from: Data($0)) }
    }

    /// Replaces the profile, atomically.
    public func save(_ profile: UserProfile) async throws {
        try await secrets.write(Array(JSONEncoder().encode(profile)), for: Self.name)
    }
}
