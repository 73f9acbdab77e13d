// SPDX-License-Identifier: Apache-2.0

/// The proxies in front of a server that may state the client's address.
///
/// ```swift
/// configuration.trustedProxies = TrustedProxies(["10.0.0.0/8"].compactMap(NetworkRange.init))
/// ```
public struct TrustedProxies: Sendable, Hashable {
    /// The header field in which proxies record the sender of a request.
    ///
    /// Only one is used: a proxy that appends to one field passes on the other one as the client sent it.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// `X-Forwarded-For`, which most proxies use: addresses, separated by commas.
        case xForwardedFor = "x-forwarded-for"
        /// `Forwarded` (RFC 7239).
        case forwarded
    }

    /// The addresses of the proxies; without any, the field is ignored.
    public var ranges: [NetworkRange]
    /// The header field that the proxies append to.
    public var field: Field
    /// The header field with the certificate of the proxies' client, such as `Client-Cert` (RFC 9440); nil for none.
    ///
    /// The proxies must replace the field in each request. From other clients it is removed.
    public var certificateField: HTTPFieldName?

    /// Creates the proxies in these ranges, which append to this field.
    public init(
        _ ranges: [NetworkRange] = [], field: Field = .xForwardedFor, certificateField: HTTPFieldName? = nil
    ) {
        self.ranges = ranges
        self.field = field
        self.certificateField = certificateField
    }

    /// The maximum number of entries that are read, from the right.
    private static let longestChain = 32

    /// Returns whether a peer is one of the proxies.
    func contains(_ peer: String) -> Bool {
        guard !ranges.isEmpty, let address = IPAddress(peer) else { return false }
        return contains(address)
    }

    /// Returns whether the ranges contain the client of a request, or the trusted proxy that sent it.
    package func contains(senderOf request: HTTPRequest) -> Bool {
        [request.remoteAddress, request.context[ProxyAddress.self]].contains { $0.map(contains) ?? false }
    }

    private func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Returns the client's address: the rightmost one that is not a trusted proxy.
    ///
    /// Each proxy appends the address of its peer. So entries can be trusted from the right, up to the first address
    /// that is not a proxy. That client may have written everything to the left of it. An entry may also not be an
    /// address (RFC 7239 §6: "unknown" or an obfuscated name). Then the address of the proxy that wrote it is the best
    /// known one.
    func client(behind peer: String, _ fields: HTTPFields) -> String {
        guard contains(peer) else { return peer }
        var nearest = peer
        for entry in entries(fields) {
            guard let entry, let address = IPAddress(entry) else { return nearest }
            nearest = address.text
            if !contains(address) { return nearest }
        }
        return nearest
    }

    /// Returns the last addresses of the chain, the nearest first; nil for an entry that cannot be parsed.
    private func entries(_ fields: HTTPFields) -> [String?] {
        let lines = fields.values(of: field == .forwarded ? "forwarded" : "x-forwarded-for")
        switch field {
        case .xForwardedFor:
            var entries: [String?] = []
            for line in lines.reversed() {
                var rest: Substring.UTF8View? = line[...].utf8
                while let part = rest, entries.count < Self.longestChain {
                    let comma = part.lastIndex(of: UInt8(ascii: ","))
                    let entry = comma.map { part[part.index(after: $0)...] } ?? part
                    rest = comma.map { part[..<$0] }
                    if !entry.isEmpty { entries.append(Self.host(Substring(trimmed(entry)))) }
                }
            }
            return entries
        case .forwarded:
            var entries: [String?] = []
            for line in lines.reversed() where entries.count < Self.longestChain {
                let elements = ForwardedElements(line, limit: Self.longestChain - entries.count)
                entries += elements.hosts.reversed().map { $0.flatMap(Self.host) }
            }
            return entries
        }
    }

    /// Returns the address of a node (RFC 7239 §6), without its port and the brackets of IPv6.
    ///
    /// `X-Forwarded-For` contains IPv6 addresses without brackets, and some proxies add a port to IPv4 addresses.
    static func host(_ node: some StringProtocol) -> String? {
        let node = String(node).unicodeScalars
        if node.first == "[" {
            guard let end = node.firstIndex(of: "]") else { return nil }
            let rest = node[node.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            return String(node[node.index(after: node.startIndex)..<end])
        }
        guard node.count(where: { $0 == ":" }) == 1, let colon = node.firstIndex(of: ":") else { return String(node) }
        return String(node[..<colon])
    }
}

/// An interceptor that sets the client's address and certificate for requests from trusted proxies.
struct TrustedProxyInterceptor: Filter {
    let proxies: TrustedProxies

    func filter(_ request: inout HTTPRequest) -> Filtering<Void> {
        guard let peer = request.remoteAddress, proxies.contains(peer) else {
            // RFC 9440 §4: any client can send the field.
            if let field = proxies.certificateField { request.fields[field] = nil }
            return .proceed(())
        }
        request.context[ProxyAddress.self] = peer
        request.context[RemoteAddress.self] = proxies.client(behind: peer, request.fields)
        let certificate = proxies.certificateField.flatMap { request.forwardedClientCertificate(in: $0) }
        // The certificate of the connection is the proxy's.
        if certificate != nil || request.clientCertificate != nil {
            request.context[ClientCertificateKey.self] = certificate.map { PresentedCertificate(der: $0) }
        }
        return .proceed(())
    }
}
