// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// Stands between a session and the store of its cookies: nothing kept is a credential that has expired, since a login
/// needs no predecessor.
final class LoginCookieStore: TokenStore {
    private let store: any TokenStore<[Cookie]>
    private let credential: @Sendable ([Cookie]) -> CookieCredential
    /// Whether something is known to have been kept: if it is gone, another process signed the person out.
    private let isKept = Lock(false)

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
    func load() async throws -> CookieCredential? {
        do {
            if let cookies = try await store.load() {
                isKept.withLock { $0 = true }
                return credential(cookies)
            }
        } catch AuthError.storeCorrupt {
            // What it held can be had again; that it was damaged must not keep anybody from it.
            return credential([])
        }
        return isKept.withLock { $0 } ? nil : credential([])
    }

    func clear() async throws {
        try await store.clear()
        isKept.withLock { $0 = false }
    }
}
