// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// Stands between a session and the store of its cookies: nothing kept is a credential that has expired, since a login
/// needs no predecessor.
final class LoginCookieStore: TokenStore {
    private let store: any TokenStore<[Cookie]>
    private let credential: @Sendable ([Cookie]) -> CookieCredential
    /// Whether something is known to have been kept: if it is gone, another process signed the person out.
    private let isKept = Mutex(false)

    init(
        _ store: any TokenStore<[Cookie]>, credential: @escaping @Sendable ([Cookie]) -> CookieCredential
    ) {
        self.store = store
        self.credential = credential
    }

    func save(_ value: CookieCredential) async throws {
        try await store.save(value.cookies)
        isKept.withLock { $0 = true }
    }

    /// What is kept; nil only where it was there and is gone.
    ///
    /// A damaged record is set aside by the store, and what it held can be had again by a login. Where the second reading
    /// fails as well, the store is damaged as a whole: that is not for a login to overwrite.
    func load() async throws -> CookieCredential? {
        do {
            return try await read()
        } catch AuthError.storeCorrupt {
            return try await read()
        }
    }

    private func read() async throws -> CookieCredential? {
        guard let cookies = try await store.load() else { return isKept.withLock { $0 } ? nil : credential([]) }
        isKept.withLock { $0 = true }
        return credential(cookies)
    }

    func clear() async throws {
        try await store.clear()
        isKept.withLock { $0 = false }
    }
}
