// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

extension URLRequest {
    /// Converts a request for interceptors; a stream is omitted, because it would have to be read.
    init(_ request: HTTPRequest) throws(NetworkError) {
        do { self = try URLRequest(core: request) } catch { throw .invalidURL }
    }

    /// The fields by their case-insensitive names.
    fileprivate var fieldsByName: [HTTPFieldName: String] {
        Dictionary((allHTTPHeaderFields ?? [:]).map { (HTTPFieldName($0.key), $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension HTTPRequest {
    /// Applies the changes of `adapted`; the order and the repetition of other fields are kept.
    ///
    /// An added or changed field counts as a credential, unless its name is on a list of harmless fields. A credential
    /// is not sent to another origin after a redirect, and is not logged.
    ///
    /// - Parameter original: The request before the changes.
    mutating func apply(_ adapted: URLRequest, changedFrom original: URLRequest) throws(NetworkError) {
        if adapted.url != original.url { try move(to: adapted.url) }
        if adapted.httpMethod != original.httpMethod {
            method = LatchHTTP.HTTPMethod(rawValue: adapted.httpMethod ?? "GET")
        }
        if adapted.httpBody != original.httpBody {
            body = HTTPBody(Array(adapted.httpBody ?? Data()))
        } else if adapted.httpBodyStream != nil, adapted.httpBody == nil {
            // The content of the stream would be lost.
            throw .bodyEncodingFailed
        }
        if adapted.timeoutInterval != original.timeoutInterval {
            // Zero, a negative value and NaN mean no limit, which becomes one day.
            let limit = adapted.timeoutInterval
            timeout = limit > 0 ? .seconds(min(limit, 86_400)) : .seconds(86_400)
        }
        applyFields(adapted.fieldsByName, from: original.fieldsByName)
    }

    private mutating func applyFields(_ new: [HTTPFieldName: String], from old: [HTTPFieldName: String]) {
        for name in old.keys where new[name] == nil { fields[name] = nil }
        let changed = new.filter { old[$0.key] != $0.value }
        for (name, value) in changed.sorted(by: { $0.key.canonicalName < $1.key.canonicalName }) {
            fields[name] = value
            if !Self.fieldsWithoutCredentials.contains(name), !credentialFields.contains(name) {
                credentialFields.append(name)
            }
        }
    }

    /// Changes the URL; added parameters count as credentials.
    private mutating func move(to url: URL?) throws(NetworkError) {
        let old = Set(parameters)
        do {
            guard let url else { throw HTTPError.invalidURL }
            let target = try HTTPOrigin.split(url.absoluteString)
            (scheme, authority, path) = (target.origin.scheme, target.origin.authority, target.path)
        } catch {
            throw .invalidURL
        }
        for pair in parameters where !old.contains(pair) {
            let name = String(pair.unicodeScalars.prefix { $0 != "=" })
            let decoded = name.removingPercentEncoding ?? name
            if !credentialQueryNames.contains(decoded) { credentialQueryNames.append(decoded) }
        }
    }

    /// The encoded pairs of the query.
    private var parameters: [Substring] { query?.unicodeScalars.split(separator: "&").map { Substring($0) } ?? [] }

    /// The fields that describe the message or the client software; they never contain a credential.
    private static let fieldsWithoutCredentials: Set<HTTPFieldName> = [
        .accept, .cacheControl, .contentType, .userAgent, .idempotencyKey, .requestID, "Accept-Charset",
        "Accept-Encoding", "Accept-Language", "Content-Encoding", "Content-Language", "If-Match", "If-Modified-Since",
        "If-None-Match", "If-Unmodified-Since", "Pragma", "Prefer", "Range", "Traceparent", "Tracestate",
        "X-API-Version",
    ]
}

extension URLRequest {
    /// Authorizes this request with a LatchAuth credential that does not depend on the content.
    ///
    /// An invalid request is unchanged, and fails when it is sent.
    mutating func authorize(_ body: (inout HTTPRequest) -> Void) {
        guard let url else { return }
        do {
            var message = try HTTPRequest(self)
            let before = message
            body(&message)
            if message.path != before.path { self.url = URL(encodingOnce: message.absoluteURL) ?? url }
            for line in message.fields where before.fields[line.name] != line.value {
                setValue(line.value, forHTTPHeaderField: line.name.rawName)
            }
        } catch {
            // An invalid request is unchanged.
        }
    }
}

extension URLRequest {
    /// Whether the request's target is exactly this host, over https or on this machine.
    ///
    /// Use it for `shouldAuthenticate`: `host.contains("api.example.com")` is also true for `api.example.com.evil.net`.
    public func isTo(host: String) -> Bool { isIn(.host(host)) }

    /// Whether the request's target is this domain or a subdomain of it, over https or on this machine.
    ///
    /// `example.com` and `api.example.com` are in `example.com`; `badexample.com` is not.
    public func isTo(domain: String) -> Bool { isIn(.subdomains(of: domain)) }

    private func isIn(_ scope: CredentialScope) -> Bool {
        url.flatMap(HTTPOrigin.init).map(scope.allows) ?? false
    }
}
