// SPDX-License-Identifier: Apache-2.0

import LatchCore
import FoundationBridge
import LatchHTTP

extension URLRequest {
    /// A request of the core as the interceptors of this package see it.
    ///
    /// Content that is a stream is not shown: it would have to be read for that.
    init(_ request: HTTPRequest) throws(NetworkError) {
        do { self = try URLRequest(core: request) } catch { throw .invalidURL }
    }

    /// The fields by their names, which compare without case.
    fileprivate var fieldsByName: [HTTPFieldName: String] {
        Dictionary((allHTTPHeaderFields ?? [:]).map { (HTTPFieldName($0.key), $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension HTTPRequest {
    /// Takes over what was changed in `adapted`, and nothing else: order and repetition of the other fields stay.
    ///
    /// A field that was added or changed counts as a credential, unless its name is known to be none: it is dropped where
    /// a redirect leaves the origin, and it is not for logs.
    ///
    /// - Parameter original: What `adapted` was made from.
    mutating func takeOver(_ adapted: URLRequest, madeFrom original: URLRequest) throws(NetworkError) {
        if adapted.url != original.url { try move(to: adapted.url) }
        if adapted.httpMethod != original.httpMethod {
            method = LatchHTTP.HTTPMethod(rawValue: adapted.httpMethod ?? "GET")
        }
        if adapted.httpBody != original.httpBody {
            body = HTTPBody(Array(adapted.httpBody ?? Data()))
        } else if adapted.httpBodyStream != nil, adapted.httpBody == nil {
            // Its content would be lost without a word.
            throw .bodyEncodingFailed
        }
        if adapted.timeoutInterval != original.timeoutInterval {
            // Zero, and what is no time at all, means that there is no limit; a day is none for a request.
            let limit = adapted.timeoutInterval
            timeout = limit > 0 ? .seconds(min(limit, 86_400)) : .seconds(86_400)
        }
        takeOverFields(adapted.fieldsByName, from: original.fieldsByName)
    }

    private mutating func takeOverFields(_ new: [HTTPFieldName: String], from old: [HTTPFieldName: String]) {
        for name in old.keys where new[name] == nil { fields[name] = nil }
        let changed = new.filter { old[$0.key] != $0.value }
        for (name, value) in changed.sorted(by: { $0.key.canonicalName < $1.key.canonicalName }) {
            fields[name] = value
            if !Self.harmless.contains(name), !credentialFields.contains(name) { credentialFields.append(name) }
        }
    }

    /// Sends the request to another URL, which is taken as it is; parameters that were added count as credentials.
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
            let name = String(pair.prefix { $0 != "=" })
            let decoded = name.removingPercentEncoding ?? name
            if !credentialQueryNames.contains(decoded) { credentialQueryNames.append(decoded) }
        }
    }

    /// The pairs of the query as they are written.
    private var parameters: [Substring] { query?.split(separator: "&") ?? [] }

    /// Fields that say something about the message or the program, never who asks.
    private static let harmless: Set<HTTPFieldName> = [
        .accept, .cacheControl, .contentType, .userAgent, .idempotencyKey, .requestID, "Accept-Charset",
        "Accept-Encoding", "Accept-Language", "Content-Encoding", "Content-Language", "If-Match", "If-Modified-Since",
        "If-None-Match", "If-Unmodified-Since", "Pragma", "Prefer", "Range", "Traceparent", "Tracestate",
        "X-API-Version",
    ]
}
