// SPDX-License-Identifier: Apache-2.0

/// The description of an account on this device: the user and the issuer, without secrets.
public struct AccountEntry: Sendable, Hashable, Codable, Identifiable {
    /// A random identifier, which stays the same when the account is renamed and is never used again.
    public let id: String
    /// The display name; no two accounts of a list have the same name.
    public var name: String
    /// The URL of the issuer of its tokens.
    public var issuer: String
    /// The name that the user signs in with, such as an email address; nil if it is not known.
    public var username: String?
    /// The issuer's identifier of the user; nil if that is not known.
    public var userID: String?
    /// The identifier of this program at the issuer, which refreshes use; nil for an issuer without registrations.
    public var clientID: String?
    /// Whether the account is the program's own and has no user; nil counts as false.
    package var isClient: Bool?
    /// The scopes granted at the last sign-in; nil if the issuer did not state them.
    public var scopes: Scopes?

    /// Whether both belong to the same user at the same issuer.
    ///
    /// The issuer's identifiers decide if both have one, because the user may have changed the address since.
    func hasSameUser(as other: AccountEntry) -> Bool {
        // Byte by byte: issuers distinguish names that are canonically equivalent in Unicode.
        func isSame(_ one: String?, _ other: String?) -> Bool {
            guard let one, let other else { return one == nil && other == nil }
            return one.utf8.elementsEqual(other.utf8)
        }
        guard isSame(issuer, other.issuer), isClient ?? false == other.isClient ?? false else { return false }
        if isClient == true { return isSame(clientID, other.clientID) }
        if let userID, let otherID = other.userID { return isSame(userID, otherID) }
        return username != nil && isSame(username, other.username)
    }
}
