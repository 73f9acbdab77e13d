// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchServer
import Synchronization

/// The reason why a document of a client cannot be read.
package enum DocumentError: Error, Hashable {
    /// The URL is not one that is requested.
    case url
    /// The host has no public address, accepts no connection, or does not respond in time.
    ///
    /// The caller that names the URL learns no more, since it may be a name in the server's own network.
    case unreachable
    /// The response is a redirect, which could lead into that network.
    case redirect
    /// The response has another status than 200.
    case status(Int)
    /// The response is not JSON.
    case type
    /// The response is larger than permitted.
    case size
    /// The server has too many such requests in progress.
    case busy
    /// The content is not what the document has to be; with the rest of a sentence about it.
    case content(String)

    /// The rest of a sentence that begins with the document.
    package var reason: String {
        switch self {
        case .url: "has a URL that this server does not request: https, port 443 or 1024 and above, no user"
        case .unreachable: "could not be fetched from a public address within five seconds"
        case .redirect: "is a redirect, which is not followed"
        case .status(let status): "has the status \(status) instead of 200"
        case .type: "has a Content-Type other than JSON"
        case .size: "is larger than 64 KiB"
        case .busy: "could not be fetched, as too many others are being fetched"
        case .content(let reason): reason
        }
    }
}

/// A handler for requests to URLs that a stranger has named.
///
/// It connects only to public addresses, by https, without a proxy, and follows no redirect: otherwise the caller that names a
/// URL could reach what only this machine can reach (SSRF). A name counts for nothing, since its owner decides on the
/// addresses. The addresses are checked when they are connected to.
package struct PublicTransport: Handler {
    /// The time for a request with all that belongs to it.
    package static let patience = Duration.seconds(5)
    /// The maximum size of a document.
    package static let maximumSize = 64 << 10
    /// The maximum numbers of requests at once, in all and for one host.
    private static let maximumRunning = (all: 64, host: 4)

    /// The numbers of requests in progress by host, shared by the copies of a value.
    private final class Running: Sendable {
        let hosts = Mutex<[String: Int]>([:])
    }

    private let transport: any Handler
    /// The networks that may be requested although they are not public.
    private let networks: [NetworkRange]
    private let running = Running()

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - networks: Networks that may be requested although they are not public. With `127.0.0.0/8` also by http.
    ///   - transport: Replaces the connections, for tests.
    package init(permitting networks: [NetworkRange] = [], transport: (any Handler)? = nil) {
        self.networks = networks
        let permits = { @Sendable (bytes: [UInt8]) in
            let address = IPAddress(networkBytes: bytes)
            return address.isPublic || networks.contains(address)
        }
        let live = transport ?? Transport.connecting(within: Self.patience, onlyTo: permits)
        self.transport = BoundedResponses(live, maximumSize: Self.maximumSize, within: Self.patience)
    }

    /// Sends a request, and returns a response other than a redirect.
    ///
    /// - Throws: `DocumentError`.
    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard isPermitted(request.origin) else { throw DocumentError.url }
        let host = request.origin.host
        guard begin(host) else { throw DocumentError.busy }
        defer { end(host) }
        var request = request
        // Also for the repetition of a request whose connection was lost.
        request.tighten(to: Deadline(in: Self.patience))
        let response: HTTPResponse
        do { response = try await transport.respond(to: request) } catch let error as HTTPError {
            throw error.code == HTTPError.tooLarge.code ? DocumentError.size : .unreachable
        }
        guard !(300..<400).contains(response.status.rawValue) || response.status.rawValue == 304 else {
            throw DocumentError.redirect
        }
        return response
    }

    /// Returns whether an origin is requested.
    ///
    /// Port 443 is that of https, and a program without privileges has one from 1024 on. The others belong to other
    /// protocols, which a request could confuse.
    private func isPermitted(_ origin: HTTPOrigin) -> Bool {
        guard origin.port == 443 || origin.port >= 1024 || origin.scheme == "http" else { return false }
        guard origin.scheme == "https" else {
            return origin.isLoopback && networks.contains(IPAddress(networkBytes: [127, 0, 0, 1]))
        }
        return true
    }

    private func begin(_ host: String) -> Bool {
        running.hosts.withLock { hosts in
            let all = hosts.values.reduce(0, +)
            guard all < Self.maximumRunning.all, hosts[host, default: 0] < Self.maximumRunning.host else {
                return false
            }
            hosts[host, default: 0] += 1
            return true
        }
    }

    private func end(_ host: String) {
        running.hosts.withLock { hosts in
            let count = hosts[host, default: 1] - 1
            hosts[host] = count > 0 ? count : nil
        }
    }
}

/// A handler for documents in JSON, such as sets of keys: other responses than 200 and 304 are errors.
package struct DocumentTransport: Handler {
    private let transport: any Handler

    package init(_ transport: any Handler) { self.transport = transport }

    /// Sends a request, and returns a response whose content is JSON.
    ///
    /// - Throws: `DocumentError`, and the errors of the transport.
    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await transport.respond(to: request)
        guard response.status.rawValue != 304 else { return response }
        guard !(300..<400).contains(response.status.rawValue) else { throw DocumentError.redirect }
        guard response.status == .ok else { throw DocumentError.status(response.status.rawValue) }
        guard Self.isJSON(response.fields[.contentType]) else { throw DocumentError.type }
        return response
    }

    /// Whether a media type is `application/json`, or another application's with its suffix (RFC 6839 §3.1).
    private static func isJSON(_ field: String?) -> Bool {
        let type = (field ?? "").unicodeScalars.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        let name = String(type).lowercasedASCII().utf8
        return name.elementsEqual("application/json".utf8)
            || name.starts(with: "application/".utf8) && name.suffix(5).elementsEqual("+json".utf8)
    }
}
