// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The proxies in front of a server whose word about the client's address is taken.
///
/// ```swift
/// configuration.trustedProxies = TrustedProxies(["10.0.0.0/8"].compactMap(NetworkRange.init))
/// ```
public struct TrustedProxies: Sendable, Hashable {
    /// The field in which a chain of proxies notes from where it got a request.
    ///
    /// It is one, and chosen: a proxy that appends to one field lets the other through as the client wrote it.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// What most proxies write: addresses, separated by commas.
        case xForwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    /// Where the proxies are; with none, nobody's word is taken.
    public var ranges: [NetworkRange]
    /// Where they write.
    public var field: Field

    /// Proxies in these ranges, which write into this field.
    public init(_ ranges: [NetworkRange] = [], field: Field = .xForwardedFor) {
        self.ranges = ranges
        self.field = field
    }

    /// How many proxies may stand in a row; whoever sends more entries has written most of them.
    private static let longestChain = 32

    /// Whether the other end of a socket is one of them.
    func contain(_ peer: String) -> Bool {
        guard !ranges.isEmpty, let address = IPAddress(peer) else { return false }
        return contain(address)
    }

    private func contain(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// The client's address: the rightmost that no trusted proxy has.
    ///
    /// Each proxy appends whom it got the request from, so that entries are true from the right as far as those who wrote
    /// them are trusted, and everything left of the first stranger is what that stranger says. Where an entry is no
    /// address (RFC 7239 §6: "unknown", or a name that somebody made up), the proxy that wrote it is all that is known.
    func client(behind peer: String, _ fields: HTTPFields) -> String {
        guard contain(peer) else { return peer }
        var nearest = peer
        for entry in entries(fields).reversed().prefix(Self.longestChain) {
            guard let entry, let address = IPAddress(entry) else { return nearest }
            nearest = address.text
            if !contain(address) { return nearest }
        }
        return nearest
    }

    /// The chain from the client on; nil stands for what nobody can read.
    private func entries(_ fields: HTTPFields) -> [String?] {
        let lines = fields.values(of: field == .forwarded ? "forwarded" : "x-forwarded-for")
        switch field {
        case .xForwardedFor: return lines.flatMap { $0.split(separator: ",").map { Self.host(Self.trimmed($0)) } }
        case .forwarded: return lines.flatMap { ForwardedElements($0).hosts.map { $0.flatMap(Self.host) } }
        }
    }

    /// The address of a node (RFC 7239 §6), without its port and the brackets of IPv6.
    ///
    /// Fields of the older kind hold IPv6 addresses without brackets, and some proxies add a port to those of IPv4.
    static func host(_ node: some StringProtocol) -> String? {
        if node.hasPrefix("[") {
            guard let end = node.firstIndex(of: "]") else { return nil }
            let rest = node[node.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return String(node[node.index(after: node.startIndex)..<end])
        }
        guard node.count(where: { $0 == ":" }) == 1, let colon = node.firstIndex(of: ":") else { return String(node) }
        return String(node[..<colon])
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}

/// Gives requests the address of their client, as far as trusted proxies tell it.
///
/// A server does this itself by its configuration; this is for handlers without one.
public struct TrustedProxyInterceptor: Interceptor {
    private let proxies: TrustedProxies

    /// An interceptor that takes these proxies' word.
    public init(_ proxies: TrustedProxies) { self.proxies = proxies }

    /// Replaces what `remoteAddress` says, where the request came from a trusted proxy.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard let peer = request.remoteAddress else { return try await next.respond(to: request) }
        var request = request
        request.context[RemoteAddress.self] = proxies.client(behind: peer, request.fields)
        return try await next.respond(to: request)
    }
}
