// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchCrypto

/// What the owner of an account can do with its second factor: begin one, confirm it, take it away.
package struct SecondFactors: Sendable {
    /// What is shown once, when a factor is begun.
    package struct Setup: Sendable {
        /// In base 32, for typing.
        package let secret: String
        /// What a QR code shows.
        package let uri: String
        /// Each works once in the place of a code, once the factor is confirmed.
        package let recoveryCodes: [String]
    }

    /// For how long a factor that was begun can be confirmed.
    static let setupLifetime: TimeInterval = 3600

    let parts: IdentityParts

    /// Makes a secret and recovery codes, which count once they are confirmed; nothing shows them again (attack F7).
    ///
    /// A factor that the account has goes on being asked for until then. The sign-in must be of the last minutes, and on an
    /// account that has a factor it had to show that: a session that was left open does not change it (attack F6).
    ///
    /// - Throws: `IdentityError.forbidden` for another app's token, `.signInAgain`, `.tooManyAttempts`, or a store's.
    func begin(_ bearer: Bearer) async throws(IdentityError) -> Setup {
        try requireFresh(bearer)
        let now = parts.clock.now
        let limit = parts.limits.secondFactorSetup(of: bearer.accountID)
        if let refusal = parts.limiter.take([limit], at: now) { throw .tooManyAttempts(refusal) }
        let secret = parts.random.bytes(TimeCode.secretByteCount)
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode(parts.random) }
        let factor = SecondFactor(
            accountID: bearer.accountID,
            sealedSecret: try FactorSeal(pepper: parts.pepper).seal(secret, of: bearer.accountID), createdAt: now)
        try await parts.store.begin(factor, recoveryDigests: codes.map { $0.digest(for: bearer.accountID) })
        let text = Base32.encode(secret)
        return Setup(secret: text, uri: uri(text, of: bearer.account), recoveryCodes: codes.map(\.text))
    }

    /// Confirms what was begun by a code of it; every other device is signed out, for none of them has shown a factor.
    ///
    /// - Throws: `IdentityError.noSecondFactor`, `.signInAgain`, `.invalidCode`, `.tooManyAttempts`, or a store's.
    func confirm(_ code: String, _ bearer: Bearer, from origin: SignIns.Origin) async throws(IdentityError) {
        try requireFresh(bearer)
        let now = parts.clock.now
        let attempt = parts.limits.secondFactor(of: bearer.accountID, address: origin.address)
        if let refusal = parts.limiter.take([attempt], at: now) { throw .tooManyAttempts(refusal) }
        let factor = try await parts.store.secondFactor(of: bearer.accountID, isConfirmed: false)
        guard let factor, now.timeIntervalSince(factor.createdAt) < Self.setupLifetime else { throw .noSecondFactor }
        let signIns = SignIns(parts: parts)
        // A recovery code shows a list and no app: it confirms nothing.
        guard case .code(let step, let sealed)? = try signIns.proof(code, for: factor) else { throw .invalidCode }
        try signIns.judge(
            try await parts.store.confirmFactor(
                of: bearer.accountID, proof: .code(step: step, sealedSecret: sealed), on: bearer.device.id, at: now))
        parts.limiter.giveBack([attempt])
    }

    /// Takes the factor away, for somebody who can show it and has signed in just now (attack F6).
    ///
    /// - Throws: `IdentityError.signInAgain`, `.noSecondFactor`, `.invalidCode`, `.tooManyAttempts`, `.forbidden` or a store's.
    func remove(code: String, _ bearer: Bearer, from origin: SignIns.Origin) async throws(IdentityError) {
        try requireFresh(bearer)
        try await settle(code, bearer, from: origin) { proof throws(IdentityError) in
            try await parts.store.removeFactor(of: bearer.accountID, proof: proof, at: parts.clock.now)
        }
        tellOwner(of: bearer.account)
    }

    /// Makes new recovery codes in the place of those that are left, for somebody who can show the factor and has signed in
    /// just now.
    ///
    /// - Throws: As ``remove(code:_:from:)``.
    func recoveryCodes(
        code: String, _ bearer: Bearer, from origin: SignIns.Origin
    ) async throws(IdentityError) -> [String] {
        try requireFresh(bearer)
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode(parts.random) }
        try await settle(code, bearer, from: origin) { proof throws(IdentityError) in
            try await parts.store.replaceRecoveryCodes(
                of: bearer.accountID, by: codes.map { $0.digest(for: bearer.accountID) }, proof: proof,
                at: parts.clock.now)
        }
        return codes.map(\.text)
    }

    /// Takes the factor of somebody else away, who has shown otherwise who they are; all of their devices are signed out.
    ///
    /// - Parameter actor: The account that does it; nil for the server's operator.
    /// - Returns: Whether there was one; nil when there is no such account.
    /// - Throws: `IdentityError.forbidden` or a store's error.
    package func remove(of accountID: String, by actor: String? = nil) async throws(IdentityError) -> Bool? {
        let found = try await parts.store.removeFactor(of: accountID, by: actor, at: parts.clock.now)
        if found == true, let account = try await parts.store.account(id: accountID) { tellOwner(of: account) }
        return found
    }

    /// Whether logins of the account ask for a code.
    package func isConfirmed(of accountID: String) async throws(IdentityError) -> Bool {
        try await parts.store.secondFactor(of: accountID, isConfirmed: true) != nil
    }

    /// Has the store judge a code together with what it is to lead to, within the limits that a login's code has as well.
    private func settle(
        _ code: String, _ bearer: Bearer, from origin: SignIns.Origin,
        _ judge: (FactorProof) async throws(IdentityError) -> FactorVerdict
    ) async throws(IdentityError) {
        let signIns = SignIns(parts: parts)
        let attempt = parts.limits.secondFactor(of: bearer.accountID, address: origin.address)
        if let refusal = parts.limiter.take([attempt], at: parts.clock.now) { throw .tooManyAttempts(refusal) }
        guard let factor = try await parts.store.secondFactor(of: bearer.accountID, isConfirmed: true) else {
            throw .noSecondFactor
        }
        guard let proof = try signIns.proof(code, for: factor) else { throw .invalidCode }
        try signIns.judge(try await judge(proof))
        parts.limiter.giveBack([attempt])
    }

    /// Whoever did not do this themselves gets to know of it by another way than the session that did.
    private func tellOwner(of account: Account) {
        parts.mails.enqueue { try AccountMails.factorRemoved(to: account) }
    }

    private func requireFresh(_ bearer: Bearer) throws(IdentityError) {
        guard bearer.appID == parts.apps.firstParty.id else { throw .forbidden }
        try bearer.requireFresh(at: parts.clock.now)
    }

    /// The key URI that authenticator apps scan: label and issuer percent-encoded, everything else at its default.
    ///
    /// The issuer is the host of the public URL, by which people find the entry in their app again.
    private func uri(_ secret: String, of account: Account) -> String {
        let host = (parts.accessTokens.issuer ?? "").split(separator: "/").dropFirst().first.map(String.init) ?? "latch"
        let issuer = Self.encoded(host)
        return "otpauth://totp/\(issuer):\(Self.encoded(account.email.text))?secret=\(secret)&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(TimeCode.digits)&period=\(TimeCode.step)"
    }

    /// RFC 3986 §2.3: everything but unreserved characters is escaped.
    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
            let digits = Array("0123456789ABCDEF")
            result += isPlain ? String(Unicode.Scalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
}

extension SecondFactors.Setup: CustomStringConvertible, CustomReflectable {
    package var description: String { "Setup(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
