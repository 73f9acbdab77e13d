// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What never changes about a device: to whom its family of refresh tokens belongs, and their key.
struct TokenFamily: Sendable {
    let accountID: String
    /// The client that the device was signed in by; nil for the server's own.
    let clientID: String?
    let key: RefreshTokenKey
}

/// A bounded cache of the families whose tokens this process has rotated, so that a further rotation reads no row first.
///
/// It decides nothing: it authenticates a token without the row that would say so again, and the store's conditional update
/// decides whether that token may be used. So it needs no news of other processes, and a sign-out need not empty it.
final class TokenFamilyCache: Sendable {
    struct Entry: Sendable {
        let family: TokenFamily
        /// The current generation when this process last issued one of its tokens.
        let counter: UInt32
    }

    /// The maximum number of families of one generation of the cache; one takes about half a kilobyte.
    static let defaultCapacity = 8192

    private let entries: Mutex<RecentValues<[UInt8], Entry>>

    /// Creates an empty cache for at most twice as many families as `capacity`.
    init(capacity: Int = defaultCapacity) { entries = Mutex(RecentValues(capacity: capacity)) }

    /// Returns the family of a device, whose tokens it can authenticate; nil if it is not known.
    func family(of device: [UInt8]) -> Entry? { entries.withLock { $0.use(device) } }

    /// Keeps a family with its current generation.
    func keep(_ family: TokenFamily, of device: [UInt8], counter: UInt32) {
        entries.withLock { $0.insert(Entry(family: family, counter: counter), for: device) }
    }
}
