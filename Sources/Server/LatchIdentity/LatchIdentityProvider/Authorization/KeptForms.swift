// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE

/// The forms of pages that continue after a visit to another site: their state is too long for a cookie.
package struct KeptForms: Sendable {
    private let store: IdentityStore
    private let clock: WallClock
    private let cipher: PageFormCipher

    package init(store: IdentityStore, clock: WallClock, cipher: PageFormCipher) {
        self.store = store
        self.clock = clock
        self.cipher = cipher
    }

    /// Keeps a form for the lifetime of a new one.
    ///
    /// - Parameter id: A secret of the browser.
    /// - Throws: `IdentityError.invalidInput` for a request that is too long, `.encryptionFailed`, or a store's error.
    package func keep(_ form: PageForm, as id: String) async throws(IdentityError) {
        let now = clock.now
        let kept = PageForm(
            id: form.id, purpose: form.purpose, step: form.step, browser: form.browser,
            expiresAt: now.addingTimeInterval(PageForm.lifetime))
        let sealed = try cipher.seal(kept)
        guard sealed.utf8.count <= PushedRequest.longestContent else { throw .invalidInput("the request is too long") }
        // The row stays for `PushedRequest.memory` from now on.
        try await store.insert(
            PushedRequest(digest: id.digest, clientID: Device.pagesClientID, content: sealed, validUntil: now))
    }

    /// Returns a form; nil if it has expired.
    package func form(_ id: String) async throws(IdentityError) -> PageForm? {
        guard let row = try await store.pushedRequest(id.digest), row.clientID == Device.pagesClientID else {
            return nil
        }
        return cipher.open(row.content, at: clock.now)
    }
}
