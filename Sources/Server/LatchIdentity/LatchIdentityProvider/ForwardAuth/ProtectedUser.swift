// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
package import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
import Synchronization

/// The user of a protected application, as far as the application may know.
package struct ProtectedUser: Sendable {
    /// The identifier of the account.
    package let accountID: String
    /// The fields that the proxy passes on to the application.
    ///
    /// Each of them is set for each user, since a proxy may otherwise pass on the client's.
    package let fields: HTTPFields
    /// Whether the user has the scopes and one of the roles that the client requires.
    package let isPermitted: Bool
    package let expiresAt: Date

    /// Reads the user of a session; the claims are those that the client's scopes permit.
    package init(_ session: AuthenticatedSession, at client: OAuthClient) {
        let account = session.account
        accountID = account.id
        expiresAt = session.device.expiresAt
        let required = client.forwardAuth
        isPermitted =
            session.scopes.allow(all: required.scopes, in: ScopeHierarchy.levels)
            && (required.roles.isEmpty || required.roles.contains(where: account.roles.contains))
            && client.accepts(factorAt: session.device.factorAt)
        let claims = UserClaims().ofAccount(account, session.scopes, for: client)
        fields = [
            "Remote-User": Self.encoded(account.preferredUsername), "Remote-Id": Self.encoded(account.id),
            "Remote-Name": Self.encoded(claims["name"]?.stringValue ?? ""),
            "Remote-Email": Self.encoded(claims["email"]?.stringValue ?? ""),
            "Remote-Groups": account.roles.map { Self.encoded($0, except: ",") }.joined(separator: ","),
        ]
    }

    /// Returns a text as visible ASCII and spaces, all other bytes of its UTF-8 percent-encoded (RFC 3986 §2.1).
    ///
    /// A field could otherwise have a line break, or bytes that each application decodes in its own way.
    private static func encoded(_ text: String, except others: String = "") -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%"), !others.utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (byte < 16 ? "0" : "") + digits
            }
        }
    }
}

/// A bounded cache of the users of protected applications, as the store had them in the last second.
///
/// It holds what the applications learn, and no row. A change by this process is seen immediately.
final class ProtectedUserCache: Sendable {
    private struct Entry: Sendable {
        let user: ProtectedUser
        let state: LatchIdentityAccounts.SessionState
    }

    private let entries = Mutex(RecentValues<[UInt8], Entry>(capacity: 4096))

    /// Returns the user of a device; nil if it is not known in this state of the store.
    func user(of device: [UInt8], at state: LatchIdentityAccounts.SessionState) -> ProtectedUser? {
        entries.withLock { entries in
            guard let entry = entries.use(device), entry.state.covers(state) else { return nil }
            return entry.user
        }
    }

    /// Keeps a user.
    ///
    /// - Parameter state: The state before the rows were read, since a later write may have changed them.
    func keep(_ user: ProtectedUser, of device: [UInt8], at state: LatchIdentityAccounts.SessionState) {
        entries.withLock { $0.insert(Entry(user: user, state: state), for: device) }
    }
}
