// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityStorage
package import LatchWebAuthn

extension RelyingParty {
    /// Creates the relying party of a server; nil if browsers and systems create no passkeys for its public URL.
    ///
    /// The URL must be https, or http on `localhost` (Secure Contexts §3.1). Its host must be a domain, not an address.
    /// The origins are those of the URL and of the configuration. The origin that Apple's systems report for an app is
    /// added if the domain is the host or there are apps.
    package init?(issuer: String?, _ configuration: IdentityConfiguration) {
        guard let issuer, let (origin, host) = Self.site(of: issuer) else { return nil }
        let id = configuration.passkeyDomain?.lowercasedASCII() ?? host
        guard Self.isDomain(id, of: host) else { return nil }
        let app = "https://\(id)"
        // A domain above the host may also have pages of other owners.
        let isOwn = id == host || !configuration.appleAppIDs.isEmpty
        self.init(id: id, origins: [origin] + (isOwn && app != origin ? [app] : []) + configuration.passkeyOrigins)
    }

    /// Checks that the configured public URL may use the configured domain.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package static func check(_ configuration: IdentityConfiguration) throws(IdentityError) {
        guard let domain = configuration.passkeyDomain?.lowercasedASCII(), let issuer = configuration.issuer else {
            return
        }
        guard let (_, host) = site(of: issuer), isDomain(domain, of: host) else {
            throw .invalidSetting(
                "passkey_domain", "the host of the setting issuer, or a domain above it that its owner has registered")
        }
    }

    /// Returns the origin and the host of a URL of a secure context; nil for any other URL, and for an address.
    private static func site(of url: String) -> (origin: String, host: String)? {
        let text = url.lowercasedASCII()
        guard let separator = text.utf8.firstRange(of: "://".utf8) else { return nil }
        let scheme = String(text[..<separator.lowerBound])
        let authority = String(text[separator.upperBound...].unicodeScalars.prefix { $0 != "/" })
        let host = String(authority.unicodeScalars.prefix { $0 != ":" })
        guard isName(host), scheme == "https" || scheme == "http" && host == "localhost" else { return nil }
        return (HTTPOrigin(scheme: scheme, authority: authority).description, host)
    }

    /// Whether a host is a domain name and not an address: the last label of a name is not a number (WHATWG URL §3.5).
    private static func isName(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, labels.allSatisfy({ !$0.isEmpty }) else { return false }
        return !last.allSatisfy { (0x30...0x39).contains($0) } && host.isWord(maximum: 253, also: "-.")
    }

    /// Whether a domain is a host or above it, and is not a public suffix (HTML §7.1.1.2).
    private static func isDomain(_ domain: String, of host: String) -> Bool {
        if domain.utf8.elementsEqual(host.utf8) { return true }
        let isAbove = Array(host.utf8).suffix(domain.utf8.count + 1).elementsEqual(".\(domain)".utf8)
        return isAbove && isName(domain) && !PublicSuffixList.live.contains(domain)
    }
}
