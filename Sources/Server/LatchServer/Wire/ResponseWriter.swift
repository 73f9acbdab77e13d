// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Writes the head of a response (RFC 9112 §4, §5).
struct ResponseWriter {
    /// The value of `Date` (RFC 9110 §6.6.1), made once a second and not once a response.
    let date: String
    /// Whether `HEAD` was asked, whose answer ends with its head (RFC 9110 §9.3.2).
    let isHead: Bool
    /// Whether this is the connection's last answer, and says so (RFC 9112 §9.6).
    let closes: Bool
    /// Whether content of unknown length travels in chunks; else it ends with the connection.
    var isChunked = false

    /// Appends the head to `output`; the content follows it, unless it must have none.
    ///
    /// - Throws: `HTTPError.invalidField` for a field that would break the framing, before anything is appended.
    func write(_ response: HTTPResponse, into output: inout [UInt8]) throws(HTTPError) {
        try response.fields.validate()
        output.append(contentsOf: "HTTP/1.1 ".utf8)
        append(response.status.rawValue, to: &output)
        output.append(0x20)
        output.append(contentsOf: response.status.reasonPhrase.utf8)
        appendField("Date", date, to: &output)
        var length: String?
        for field in response.fields {
            switch field.name.canonicalName {
            case "content-length": length = field.value
            // How the message travels is the server's to say, and who serves is nobody's business.
            case "transfer-encoding", "connection", "keep-alive", "date", "server": break
            default: appendField(field.name.rawName, field.value, to: &output)
            }
        }
        appendLength(of: response, stated: length, to: &output)
        if closes { output.append(contentsOf: "\r\nConnection: close".utf8) }
        output.append(contentsOf: "\r\n\r\n".utf8)
    }

    /// The lines after the last chunk (RFC 9112 §7.1.2).
    ///
    /// Fields that would break the framing, or that say how the message is framed (RFC 9110 §6.5.1), are left out: the
    /// content is on its way, and there is nobody left to refuse them to.
    static func trailerSection(_ fields: HTTPFields) -> String {
        var lines = ""
        for field in fields where !field.name.isSetByTransport {
            let line: HTTPFields = [field.name: field.value]
            do { try line.validate() } catch { continue }
            lines += "\(field.name.rawName): \(field.value)\r\n"
        }
        return lines
    }

    /// Content that is there as one chunk, the last chunk, and the trailers behind it.
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
        // RFC 9110 §15.3.6: 205 has none, and unlike 204 it says so by a length of 0.
        !isHead && mayHaveContent(response.status) && response.status.rawValue != 205
    }

    private func mayHaveContent(_ status: HTTPStatus) -> Bool {
        // RFC 9112 §6.3: these end with their head, whatever their fields say.
        status.rawValue >= 200 && status != .noContent && status.rawValue != 304
    }

    /// RFC 9112 §6.3: exactly one length, and it is that of what follows; a handler cannot state another.
    private func appendLength(of response: HTTPResponse, stated: String?, to output: inout [UInt8]) {
        guard mayHaveContent(response.status) else { return }
        let isWhole = !isChunked || response.status.rawValue == 205
        guard isWhole, let length = response.status.rawValue == 205 ? 0 : response.body.length else {
            // RFC 9112 §6.1 and §6.3: a response without either ends with its connection.
            if isChunked { output.append(contentsOf: "\r\nTransfer-Encoding: chunked".utf8) }
            return
        }
        output.append(contentsOf: "\r\nContent-Length: ".utf8)
        // RFC 9110 §8.6: in the answer to HEAD it is the length that GET would have; elsewhere it is what we send.
        if isHead, response.body.isEmpty, let stated, !stated.isEmpty, stated.utf8.allSatisfy(isDigit) {
            output.append(contentsOf: stated.utf8)
        } else {
            append(length, to: &output)
        }
    }

    /// Name and value were validated; this writes the CRLF in front of them, never one behind.
    private func appendField(_ name: String, _ value: String, to output: inout [UInt8]) {
        output.append(0x0D)
        output.append(0x0A)
        output.append(contentsOf: name.utf8)
        output.append(0x3A)
        output.append(0x20)
        output.append(contentsOf: value.utf8)
    }

    private func append(_ number: Int, to output: inout [UInt8]) {
        output.append(contentsOf: String(number).utf8)
    }
}
