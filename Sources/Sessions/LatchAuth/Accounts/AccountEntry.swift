// SPDX-License-Identifier: Apache-2.0

/// An account on this device, as a list of accounts describes it: who at which issuer, and nothing secret.
public struct AccountEntry: Sendable, Hashable, Codable, Identifiable {
    /// A random name for the programs, which the account keeps when it is renamed and nobody gets again.
    public let id: String
    /// What people call it; no two accounts of a list have the same name.
    public var name: String
    /// Who issued its tokens: the issuer's URL.
    public var issuer: String
    /// What the person signs in with, such as an e-mail address; nil where that is not known.
    public var username: String?
    /// The issuer's identifier of the person; nil where that is not known.
    public var userID: String?
    /// What was granted at the last sign-in; nil where the issuer did not say.
    public var scopes: Scopes?

    /// An account from its parts.
    public init(
        id: String, name: String, issuer: String, username: String? = nil, userID: String? = nil,
        scopes: Scopes? = nil
    ) {
        self.id = id
        self.name = name
        self.issuer = issuer
        self.username = username
        self.userID = userID
        self.scopes = scopes
    }

    /// Whether both are the same person at the same issuer.
    ///
    /// The issuer's identifier decides where both have one; a person may have changed their address since.
    func isSamePerson(as other: AccountEntry) -> Bool {
        guard issuer == other.issuer else { return false }
        if let userID, let otherID = other.userID { return userID == otherID }
        return username != nil && username == other.username
    }
}
