// SPDX-License-Identifier: Apache-2.0

/// A serializer of response heads and chunks (RFC 9112 §4, §5, §7.1).
struct ResponseWriter {
    /// The value of `Date` (RFC 9110 §6.6.1).
    let date: String
    /// Whether the request was `HEAD`, whose response has no content (RFC 9110 §9.3.2).
    let isHead: Bool
    /// Whether this is the last response of the connection (RFC 9112 §9.6).
    let closes: Bool
    /// Whether content of unknown length is chunked; otherwise it ends with the connection.
    var isChunked = false

    /// Appends the head to `output`.
    ///
    /// - Throws: `HTTPError.invalidField` for a field that would break the framing; then nothing is appended.
    func write(_ response: HTTPResponse, into output: inout [UInt8]) throws(HTTPError) {
        let start = output.count
        var failure: HTTPError?
        output.appendTexts { head in
            if response.status == .ok {
                head.append(literal: "HTTP/1.1 200 OK\r\nDate: ")
            } else {
                head.append("HTTP/1.1 \(response.status.rawValue) \(response.status.reasonPhrase)\r\nDate: ")
            }
            head.append(date)
            do throws(HTTPError) {
                try response.fields.forEachLine { field throws(HTTPError) in
                    try field.validate()
                    guard !Self.isSetByServer(field.name) else { return }
                    head.append(literal: "\r\n")
                    head.append(field.name.rawName)
                    head.append(literal: ": ")
                    head.append(field.value)
                }
            } catch { failure = error }
            appendLength(of: response, to: &head)
            if closes { head.append(literal: "\r\nConnection: close") }
            head.append(literal: "\r\n\r\n")
        }
        guard let failure else { return }
        output.removeSubrange(start...)
        throw failure
    }

    /// Whether the server sets the field itself, as part of the framing, or does not disclose it.
    static func isSetByServer(_ name: HTTPFieldName) -> Bool {
        switch name.rawName.utf8.count {
        case 4: name == .date
        case 6: name == server
        case 10: name == .connection || name == keepAlive
        case 14: name == .contentLength
        case 17: name == .transferEncoding
        default: false
        }
    }

    private static let keepAlive: HTTPFieldName = "Keep-Alive"
    private static let server: HTTPFieldName = "Server"

    /// Returns the trailer section (RFC 9112 §7.1.2).
    ///
    /// Invalid fields, and fields about the framing (RFC 9110 §6.5.1), are omitted, since it is too late to report an
    /// error.
    static func trailerSection(_ fields: HTTPFields) -> String {
        var lines = ""
        for field in fields where !field.name.isSetByTransport {
            let line: HTTPFields = [field.name: field.value]
            do { try line.validate() } catch { continue }
            lines += "\(field.name.rawName): \(field.value)\r\n"
        }
        return lines
    }

    /// Appends content as one chunk, then the last chunk and the trailers.
    static func appendChunks(of content: [UInt8], trailers: HTTPFields, to output: inout [UInt8]) {
        if !content.isEmpty {
            output.append(contentsOf: String(content.count, radix: 16).utf8)
            output.append(contentsOf: [0x0D, 0x0A])
            output.append(contentsOf: content)
            output.append(contentsOf: [0x0D, 0x0A])
        }
        output.append(contentsOf: "0\r\n".utf8)
        output.append(contentsOf: trailerSection(trailers).utf8)
        output.append(contentsOf: [0x0D, 0x0A])
    }

    /// Whether the response has content on the wire.
    func hasContent(_ response: HTTPResponse) -> Bool {
        // RFC 9110 §15.3.6: 205 has no content but, unlike 204, a length of 0.
        !isHead && mayHaveContent(response.status) && response.status.rawValue != 205
    }

    private func mayHaveContent(_ status: HTTPStatus) -> Bool {
        // RFC 9112 §6.3: these responses end with their head.
        status.rawValue >= 200 && status != .noContent && status.rawValue != 304
    }

    /// Returns the length of the content to state, which a handler cannot change (RFC 9112 §6.3); nil for none.
    func length(of response: HTTPResponse) -> String? {
        guard mayHaveContent(response.status) else { return nil }
        if response.status.rawValue == 205 { return "0" }
        guard !isChunked, let length = response.body.length else { return nil }
        // RFC 9110 §8.6: the response to HEAD states the length that GET would have.
        if isHead, response.body.isEmpty,
            let stated = response.fields.last(where: { $0.name == .contentLength })?.value,
            !stated.isEmpty, stated.utf8.allSatisfy(isDigit)
        {
            return stated
        }
        return String(length)
    }

    /// Appends the field of the framing.
    private func appendLength(of response: HTTPResponse, to head: inout TextWriter) {
        if let length = length(of: response) {
            head.append(literal: "\r\nContent-Length: ")
            head.append(length)
        } else if isChunked, mayHaveContent(response.status) {
            head.append(literal: "\r\nTransfer-Encoding: chunked")
        }
        // RFC 9112 §6.1, §6.3: a response without either field ends with its connection.
    }
}
