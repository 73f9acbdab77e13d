// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import CryptoKit
import Dispatch
import Foundation
import Security
import Synchronization

/// A handler of TLS challenges, which applies a `TLSPolicy` to the server's trust and the client's certificate.
final class TLSChallengeHandler: Sendable {
    /// The disposition of a challenge.
    enum Disposition: Sendable {
        /// The system's default handling.
        case system
        case accept(URLCredential)
        case refuse(HTTPError)
    }

    /// The queue of evaluations, which may fetch certificates; the delegate's queue also serves other transfers.
    private static let queue = DispatchQueue(label: "latch.tls")

    private let policy: TLSPolicy
    /// The client certificates that were read, by their index in the policy.
    private let opened = Mutex<[Int: Disposition]>([:])

    /// Creates the handler of a transport.
    init(policy: TLSPolicy) { self.policy = policy }

    /// Calls `completion` with the disposition of a challenge of the handshake, on another queue.
    func resolve(_ space: URLProtectionSpace, _ completion: @escaping @Sendable (Disposition) -> Void) {
        let host = space.host
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            guard let pins = policy.pins(for: host) else { return completion(.system) }
            guard let trust = space.serverTrust else { return completion(Self.untrusted(host)) }
            Self.evaluate(trust, of: host, pins, completion)
        case NSURLAuthenticationMethodClientCertificate:
            guard let index = policy.clientCertificateIndex(for: host) else { return completion(.system) }
            Self.queue.async { completion(self.identity(index, for: host)) }
        default: completion(.system)
        }
    }

    /// Evaluates the chain as without pins, then the key of the host's own certificate.
    private static func evaluate(
        _ trust: SecTrust, of host: String, _ pins: PublicKeyPins,
        _ completion: @escaping @Sendable (Disposition) -> Void
    ) {
        // The challenge hands it over, and no other code uses it until the challenge is answered.
        nonisolated(unsafe) let trust = trust
        queue.async {
            // It must be called on the queue that it reports to.
            let status = SecTrustEvaluateAsyncWithError(trust, queue) { trust, isTrusted, _ in
                guard isTrusted else { return completion(untrusted(host)) }
                guard let digest = digest(of: trust), pins.digests.contains(digest) else {
                    return completion(.refuse(.pinMismatch("\(host) showed a key that is not pinned.")))
                }
                completion(.accept(URLCredential(trust: trust)))
            }
            if status != errSecSuccess { completion(untrusted(host)) }
        }
    }

    private static func untrusted(_ host: String) -> Disposition { .refuse(.tls("No trusted connection to \(host).")) }

    /// Returns the digest of the key: SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4).
    ///
    /// Security exports the key without its algorithm.
    private static func digest(of trust: SecTrust) -> [UInt8]? {
        guard let key = SecTrustCopyKey(trust), let attributes = SecKeyCopyAttributes(key) as? [String: Any],
            let type = attributes[kSecAttrKeyType as String] as? String,
            let exported = SecKeyCopyExternalRepresentation(key, nil) as Data?
        else { return nil }
        let kind: SubjectPublicKeyInfo.KeyType = type == kSecAttrKeyTypeRSA as String ? .rsa : .point
        return SubjectPublicKeyInfo.encode(kind, Array(exported)).map { Array(SHA256.hash(data: $0)) }
    }

    /// Returns the credential of a client certificate, which is read only once.
    private func identity(_ index: Int, for host: String) -> Disposition {
        opened.withLock { opened in
            if let known = opened[index] { return known }
            let result = Self.open(policy.clientCertificates[index], for: host)
            opened[index] = result
            return result
        }
    }

    private static func open(_ certificate: ClientCertificate, for host: String) -> Disposition {
        guard case .pkcs12(let container) = certificate.content else {
            return .refuse(.invalidTLSPolicy("this platform supports only PKCS#12 client certificates"))
        }
        let options: [CFString: Any] = [
            kSecImportExportPassphrase: certificate.passphrase ?? "",
            // Otherwise macOS adds the key to the user's login keychain, where other programs find it.
            kSecImportToMemoryOnly: true,
        ]
        var items: CFArray?
        guard SecPKCS12Import(Data(container) as CFData, options as CFDictionary, &items) == errSecSuccess,
            let item = (items as? [[String: Any]])?.first
        else {
            let why = "the client certificate for \(host) cannot be opened; check its passphrase"
            return .refuse(.invalidTLSPolicy(why))
        }
        // `as?` does not distinguish Core Foundation types, so their identifiers are compared.
        guard let reference = item[kSecImportItemIdentity as String] as CFTypeRef?,
            CFGetTypeID(reference) == SecIdentityGetTypeID()
        else { return .refuse(.invalidTLSPolicy("the client certificate for \(host) has no key")) }
        let identity = unsafeDowncast(reference, to: SecIdentity.self)
        // The chain begins with the certificate of the identity, which the system adds itself.
        let chain = item[kSecImportItemCertChain as String] as? [Any] ?? []
        return .accept(URLCredential(identity: identity, certificates: Array(chain.dropFirst()), persistence: .none))
    }
}
#endif
