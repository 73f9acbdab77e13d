// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// An issuer identifier with a part that differs between tenants, as at Microsoft Entra.
struct IssuerTemplate: Sendable, Hashable {
    /// The placeholder of a tenant's part.
    private static let placeholder = "{tenantid}"
    /// The identifier with one or two placeholders.
    let text: String
    /// The claim of an ID token that replaces the placeholder.
    let claim = "tid"

    /// Creates the template of an issuer that names its tenant; nil for any other issuer.
    ///
    /// The metadata at such a name states the issuer with the tenant's ID, or with a placeholder.
    ///
    /// These are the clouds of Microsoft Entra, its External ID, and Azure AD B2C, whose paths also name a policy.
    init?(of issuer: URL) {
        let segments = issuer.path().utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard issuer.scheme == "https", issuer.port == nil, let host = issuer.host(), segments.last == "v2.0",
            let tenant = segments.first
        else { return nil }
        let clouds = ["login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn"]
        if clouds.contains(host), segments.count == 2, !Self.isTenantID(tenant) {
            text = "https://\(host)/\(Self.placeholder)/v2.0"
        } else if host.utf8.ends(with: ".ciamlogin.com".utf8), segments.count == 2, !Self.isTenantID(tenant) {
            text = "https://\(Self.placeholder).ciamlogin.com/\(Self.placeholder)/v2.0"
        } else if host.utf8.ends(with: ".b2clogin.com".utf8), segments.count == 3 {
            text = "https://\(host)/\(Self.placeholder)/v2.0/"
        } else {
            return nil
        }
    }

    /// Whether the metadata at a name may state an issuer: the template itself, or one tenant's issuer.
    func matches(metadata issuer: String) -> Bool {
        if issuer.utf8.elementsEqual(text.utf8) { return true }
        guard let range = text.utf8.ranges(of: Self.placeholder.utf8).first else { return false }
        let head = text.utf8[..<range.lowerBound]
        guard issuer.utf8.starts(with: head) else { return false }
        // A tenant's ID has 36 characters.
        let tenant = Substring(issuer.utf8.dropFirst(head.count).prefix(36))
        return Self.isTenantID(tenant)
            && self.issuer(of: String(tenant)).map { $0.utf8.elementsEqual(issuer.utf8) } == true
    }

    /// Whether a string is the ID of a tenant, and not a name: five groups of hexadecimal digits.
    static func isTenantID(_ text: some StringProtocol) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { Hex.value(of: $0) != nil }
    }

    /// Returns the issuer of a token with this claim; nil if the claim is missing or could form another URL.
    func issuer(of value: String?) -> String? {
        guard let value, !value.isEmpty, value.utf8.count <= 64,
            value.utf8.allSatisfy({ isAlphanumeric($0) || $0 == 0x2D })
        else { return nil }
        var (issuer, rest) = ("", text[...])
        while let range = rest.utf8.ranges(of: Self.placeholder.utf8).first {
            issuer += rest[..<range.lowerBound] + value
            rest = rest[range.upperBound...]
        }
        return issuer + rest
    }

    private func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
