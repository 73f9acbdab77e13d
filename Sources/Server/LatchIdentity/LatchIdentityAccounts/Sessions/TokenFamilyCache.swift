// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
package import LatchIdentityStorage
import Synchronization

/// The properties of a device that never change: the account, client and key of its family of refresh tokens.
package struct TokenFamily: Sendable {
    package let accountID: String
    /// The client that signed in the device; nil for the server's own.
    package let clientID: String?
    /// The time of the sign-in.
    package let signedInAt: Date
    package let key: RefreshTokenKey
    /// The conditions of the grant.
    package let details: GrantDetails
}

/// A bounded cache of the families whose tokens this process has rotated, so that a further rotation reads no row
/// first.
///
/// It makes no decision. It only authenticates a token, as the row would do again, and the store's conditional update
/// decides whether that token may be used. So it needs no updates from other processes, and a sign-out need not empty
/// it.
package final class TokenFamilyCache: Sendable {
    package struct Entry: Sendable {
        package let family: TokenFamily
        /// The current generation when this process last issued one of its tokens.
        package let counter: UInt32
    }

    /// The maximum number of families of one generation of the cache.
    ///
    /// One family takes about half a kilobyte.
    package static let defaultCapacity = 8192

    private let entries: Mutex<RecentValues<[UInt8], Entry>>

    /// Creates an empty cache for at most twice as many families as `capacity`.
    package init(capacity: Int = defaultCapacity) { entries = Mutex(RecentValues(capacity: capacity)) }

    /// Returns the family of a device, which can authenticate its tokens; nil if the family is not cached.
    package func family(of device: [UInt8]) -> Entry? { entries.withLock { $0.use(device) } }

    /// Keeps a family with its current generation.
    package func keep(_ family: TokenFamily, of device: [UInt8], counter: UInt32) {
        entries.withLock { $0.insert(Entry(family: family, counter: counter), for: device) }
    }
}
