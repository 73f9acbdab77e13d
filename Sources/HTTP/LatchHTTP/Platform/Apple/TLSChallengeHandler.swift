// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import CryptoKit
import Foundation
import Security

/// A handler of TLS challenges, which applies a `TLSPolicy` to the server's trust and the client's certificate.
struct TLSChallengeHandler: Sendable {
    let policy: TLSPolicy

    /// The disposition of a challenge.
    enum Disposition {
        /// The system's default handling.
        case system
        case accept(URLCredential)
        case refuse(HTTPError)
    }

    /// Returns the disposition of a challenge of the handshake.
    func disposition(of space: URLProtectionSpace) -> Disposition {
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust: trust(space)
        case NSURLAuthenticationMethodClientCertificate: identity(for: space.host)
        default: .system
        }
    }

    /// Evaluates the chain, as without pins, then the key of the host's own certificate.
    private func trust(_ space: URLProtectionSpace) -> Disposition {
        guard let pins = policy.pins(for: space.host) else { return .system }
        guard let trust = space.serverTrust, SecTrustEvaluateWithError(trust, nil) else {
            return .refuse(.tls("No trusted connection to \(space.host)."))
        }
        guard let digest = Self.digest(of: trust), pins.digests.contains(digest) else {
            return .refuse(.pinMismatch("\(space.host) showed a key that is not pinned."))
        }
        return .accept(URLCredential(trust: trust))
    }

    /// Returns the digest of the key (RFC 7469 §2.4): SHA-256 of the SubjectPublicKeyInfo, which Security exports
    /// without its algorithm.
    private static func digest(of trust: SecTrust) -> [UInt8]? {
        guard let key = SecTrustCopyKey(trust), let attributes = SecKeyCopyAttributes(key) as? [String: Any],
            let type = attributes[kSecAttrKeyType as String] as? String,
            let exported = SecKeyCopyExternalRepresentation(key, nil) as Data?
        else { return nil }
        let kind: SubjectPublicKeyInfo.KeyType = type == kSecAttrKeyTypeRSA as String ? .rsa : .point
        return SubjectPublicKeyInfo.encode(kind, Array(exported)).map { Array(SHA256.hash(data: $0)) }
    }

    private func identity(for host: String) -> Disposition {
        guard let certificate = policy.clientCertificate(for: host) else { return .system }
        guard case .pkcs12(let container) = certificate.content else {
            return .refuse(.invalidTLSPolicy("this platform reads client certificates from PKCS#12 alone"))
        }
        let options = [kSecImportExportPassphrase as String: certificate.passphrase ?? ""] as CFDictionary
        var items: CFArray?
        guard SecPKCS12Import(Data(container) as CFData, options, &items) == errSecSuccess,
            let item = (items as? [[String: Any]])?.first, let value = item[kSecImportItemIdentity as String]
        else { return .refuse(.invalidTLSPolicy("the client certificate for \(host) does not open")) }
        // `as?` does not distinguish Core Foundation types, so their identifiers are compared.
        let reference = value as CFTypeRef
        guard CFGetTypeID(reference) == SecIdentityGetTypeID() else {
            return .refuse(.invalidTLSPolicy("the client certificate for \(host) has no key"))
        }
        let identity = unsafeDowncast(reference, to: SecIdentity.self)
        return .accept(URLCredential(identity: identity, certificates: nil, persistence: .none))
    }
}
#endif
