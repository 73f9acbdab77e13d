// SPDX-License-Identifier: Apache-2.0

import LatchJOSE
import Synchronization

/// The kinds of tokens that a server signs for a client.
enum SignedKind: Sendable {
    case idToken, logoutToken, userInfo, response

    /// Whether a token of this kind needs an expiry.
    var expires: Bool { self != .userInfo }
}

/// The algorithms that a client accepts from a server, for each kind of token.
///
/// `none` is never among them.
final class ClientAlgorithms: Sendable {
    /// The algorithms of the configuration.
    private let chosen: [SignatureAlgorithm]?
    private let server: AuthorizationServer
    /// The algorithms of the ID tokens that were verified so far.
    private let seen = Mutex<Set<SignatureAlgorithm>>([])

    init(_ configuration: OAuthConfiguration, at server: AuthorizationServer) {
        (chosen, self.server) = (configuration.idTokenAlgorithms, server)
    }

    /// Returns the accepted algorithms of a kind of token.
    func accepted(for kind: SignedKind) -> [SignatureAlgorithm] {
        let usual = chosen ?? asymmetric("id_token_signing_alg_values_supported")
        switch kind {
        case .idToken, .userInfo: return usual
        case .logoutToken:
            // Back-Channel Logout §2.6: a server signs a client's logout tokens like its ID tokens.
            let seen = seen.withLock { $0 }
            return chosen != nil || seen.isEmpty ? usual : usual.filter(seen.contains)
        case .response:
            // JARM §3: RS256 unless another one is registered, which the metadata names.
            return usual.contains(where: \.isMAC) ? usual : asymmetric("authorization_signing_alg_values_supported")
        }
    }

    /// Notes the algorithm of a valid ID token.
    func noteIDToken(_ algorithm: SignatureAlgorithm) { seen.withLock { _ = $0.insert(algorithm) } }

    /// Returns the asymmetric algorithms in a member of the metadata, never `none`.
    ///
    /// If the server names none, it is RS256, which every server supports (OpenID Connect Discovery §3).
    private func asymmetric(_ member: String) -> [SignatureAlgorithm] {
        let usable = server.asymmetricAlgorithms(member)
        return usable.isEmpty ? [.rs256] : usable
    }
}

extension AuthorizationServer {
    /// Returns the algorithms in a member of the metadata, without those of shared secrets and without `none`.
    func asymmetricAlgorithms(_ member: String) -> [SignatureAlgorithm] {
        (supported(member) ?? []).map { SignatureAlgorithm(rawValue: $0) }
            .filter(SignatureAlgorithm.asymmetric.contains)
    }
}

extension SignatureAlgorithm {
    /// The algorithms whose key can be published.
    static let asymmetric: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .ps256, .ps384, .ps512, .rs256, .rs384, .rs512,
    ]

    /// Whether the key is a shared secret.
    var isMAC: Bool { [.hs256, .hs384, .hs512].contains(self) }
}
