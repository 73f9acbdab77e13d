// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchFoundation
import LatchIdentityStorage

/// The exchange of a mailed code for the session of an app.
///
/// The code is used up in the transaction that starts the session. So a missing second factor or a refused password
/// does not cost the user the code. Two requests with the same code start one session.
package struct CodeRedemption: Sendable {
    package let codes: MailedCodes
    package let tokens: TokenService

    package init(codes: MailedCodes, tokens: TokenService) { (self.codes, self.tokens) = (codes, tokens) }

    /// The device of the session that a code starts.
    struct NewDevice {
        /// The ID of the device; nil for a random one.
        let id: [UInt8]?
        let insert: SessionService.DeviceInsertion
    }

    /// Returns the session that `start` starts, or the same one again for an app that lost the response.
    ///
    /// - Parameters:
    ///   - key: The Idempotency-Key of the request; nil for none, which cannot be repeated.
    ///   - start: Starts the session, at the time of the proof.
    /// - Throws: `IdentityError.invalidMailedCode`, `.codeEnded`, `.tooManyAttempts`, `.doubtfulDate`, a store's error,
    ///   or those of `start`. The code can be used again, except after `.codeEnded`.
    func session(
        for code: String, of challenge: MailedCodeChallenge, key: String?, from origin: RequestOrigin,
        start: (_ now: Date, _ email: EmailAddress, _ device: NewDevice) async throws(IdentityError) -> IssuedTokens
    ) async throws(IdentityError) -> IssuedTokens {
        let email = try EmailAddress(challenge.email)
        let id = key.map { deviceID(of: challenge, key: $0) }
        let now: Date
        do throws(IdentityError) {
            now = try await codes.check(
                code, of: challenge.id, for: challenge.purpose.mail, sentTo: email, from: origin, usingUp: false)
        } catch {
            let isRight = MailedTokens(pepper: codes.pepper).isCode(code, of: challenge.id)
            guard error == .codeEnded, isRight, let issued = try await repetition(of: id) else { throw error }
            return issued
        }
        do throws(IdentityError) {
            let device = NewDevice(id: id) { device, account throws(IdentityError) in
                try await codes.store.insert(device, for: account, usingUp: challenge.id, at: now)
            }
            return try await start(now, email, device)
        } catch {
            // A concurrent request with the same key may have been faster.
            guard let issued = try await repetition(of: id) else { throw error }
            return issued
        }
    }

    private func repetition(of id: [UInt8]?) async throws(IdentityError) -> IssuedTokens? {
        guard let id, let device = try await codes.store.device(id: id) else { return nil }
        return try await tokens.firstTokens(of: device, within: AddressChallenge.lifetime, by: .password)
    }

    /// Returns the ID of the device that a code starts, which only this server can compute.
    private func deviceID(of challenge: MailedCodeChallenge, key: String) -> [UInt8] {
        codes.pepper.derived(for: "code session \(challenge.id) \(key)").withUnsafeBytes { Array($0.prefix(16)) }
    }
}
