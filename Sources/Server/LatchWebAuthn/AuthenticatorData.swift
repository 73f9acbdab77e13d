// SPDX-License-Identifier: Apache-2.0

/// An authenticator's statement about a ceremony (WebAuthn Level 3 §6.1).
package struct AuthenticatorData: Sendable {
    /// The flags; bits 1 and 5 are reserved and ignored.
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// UP: the user was present.
        package static let userPresent = Flags(rawValue: 1 << 0)
        /// UV: the authenticator verified the user.
        package static let userVerified = Flags(rawValue: 1 << 2)
        /// BE: the credential may be synchronized to other devices.
        package static let backupEligible = Flags(rawValue: 1 << 3)
        /// BS: the credential is backed up.
        package static let backedUp = Flags(rawValue: 1 << 4)
        /// AT: the data contains a new credential.
        package static let attestedCredential = Flags(rawValue: 1 << 6)
        /// ED: the data contains extensions.
        package static let extensions = Flags(rawValue: 1 << 7)
    }

    /// A new credential (§6.5.1).
    struct Credential: Sendable {
        let aaguid: [UInt8]
        let id: [UInt8]
        /// The public key in COSE, as it was sent.
        let publicKey: [UInt8]
    }

    /// The SHA-256 digest of the relying party's identifier.
    let relyingPartyDigest: [UInt8]
    let flags: Flags
    let counter: UInt32
    /// The new credential of a registration.
    let credential: Credential?

    /// Decodes authenticator data; bytes after it are an error.
    ///
    /// - Throws: `WebAuthnError.malformedAuthenticatorData`, or `.invalidIDLength`.
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count >= 37 else { throw .malformedAuthenticatorData }
        relyingPartyDigest = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[37...]
        credential = flags.contains(.attestedCredential) ? try Credential(&rest) : nil
        if flags.contains(.extensions) {
            // No extensions were requested: they must be well-formed, and are ignored.
            guard try rest.takeItem().map != nil else { throw .malformedAuthenticatorData }
        }
        guard rest.isEmpty else { throw .malformedAuthenticatorData }
    }
}

extension AuthenticatorData.Credential {
    fileprivate init(_ rest: inout ArraySlice<UInt8>) throws(WebAuthnError) {
        aaguid = Array(try rest.take(16))
        let count = try rest.take(2).reduce(0) { $0 << 8 | Int($1) }
        // §7.1 step 25: at most 1023 bytes; an empty identifier identifies nothing.
        guard (1...1023).contains(count) else { throw .invalidIDLength }
        id = Array(try rest.take(count))
        let start = rest
        _ = try rest.takeItem()
        publicKey = Array(start[..<rest.startIndex])
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func take(_ count: Int) throws(WebAuthnError) -> ArraySlice<UInt8> {
        guard self.count >= count else { throw .malformedAuthenticatorData }
        defer { self = dropFirst(count) }
        return prefix(count)
    }

    /// Removes and returns the CBOR item at the beginning.
    fileprivate mutating func takeItem() throws(WebAuthnError) -> CBORValue {
        do throws(CBORError) {
            let value: CBORValue
            (value, self) = try CBORValue.first(of: self)
            return value
        } catch {
            throw .malformedAuthenticatorData
        }
    }
}
