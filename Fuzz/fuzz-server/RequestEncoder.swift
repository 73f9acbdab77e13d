// SPDX-License-Identifier: Apache-2.0

import LatchRPC

/// Encodes a step's request as bytes of HTTP/1.1.
struct RequestEncoder {
    let request: Step.Request
    let expansion: Expansion

    /// Whether the bytes are one request, to which the server must respond; otherwise it may wait for more or see another one.
    var isOneRequest: Bool {
        !request.has("l") && !request.has("u")
            && !target.contains { $0 <= 0x20 || $0 == 0x7F } && request.target.first == UInt8(ascii: "/")
    }

    /// The path of the target, without its query.
    var path: String { String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self) }

    private var target: [UInt8] { expansion.bytes(request.target) }

    func bytes() -> [UInt8] {
        var content = expansion.bytes(request.content)
        let isEnveloped = request.has("g") || request.has("w") || request.has("s")
        if request.has("z") { content = (try? RPCCompression.gzip.compress(content)) ?? content }
        if isEnveloped {
            let length = (0..<4).reversed().map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) }
            content = [request.has("z") ? 1 : 0] + length + content
        }
        var lines = ["Host: 127.0.0.1", "X-Forwarded-For: 10.0.\(request.client).1", "User-Agent: fuzz"]
        if !content.isEmpty || request.has("l") { lines += contentLines(content.count, isEnveloped: isEnveloped) }
        lines += credentialLines
        if request.has("x") { lines.append("Origin: https://evil.example") }
        if request.has("i") { lines.append("Idempotency-Key: \"one\"") }
        if request.has("A") { lines += ["Accept-Encoding: gzip", "Grpc-Accept-Encoding: gzip"] }
        if request.has("q") { lines.append("Connection: close") }
        var bytes = request.method + [0x20] + target + Array(" HTTP/1.1\r\n".utf8)
        bytes += Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        guard request.has("h"), !content.isEmpty else { return bytes + content }
        let middle = content.count / 2
        for chunk in [content[..<middle], content[middle...]] where !chunk.isEmpty {
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private func contentLines(_ count: Int, isEnveloped: Bool) -> [String] {
        let length = count + (request.has("l") ? 7 : 0) - (request.has("u") ? min(count, 3) : 0)
        var lines = [request.has("h") ? "Transfer-Encoding: chunked" : "Content-Length: \(length)"]
        if let type = contentType { lines.append("Content-Type: \(type)") }
        if request.has("e") { lines.append("Expect: 100-continue") }
        let prefix = request.has("s") ? "Connect-Content" : isEnveloped ? "Grpc" : "Content"
        if request.has("z") { lines.append("\(prefix)-Encoding: gzip") }
        if request.has("d") { lines.append("\(prefix)-Encoding: deflate") }
        if request.has("b") { lines.append("\(prefix)-Encoding: br") }
        return lines
    }

    private var contentType: String? {
        let codec = request.has("p") ? "proto" : "json"
        if request.has("g") { return "application/grpc+\(codec)" }
        if request.has("w") { return "application/grpc-web+\(codec)" }
        if request.has("s") { return "application/connect+\(codec)" }
        if request.has("p") { return "application/proto" }
        if request.has("f") { return "application/x-www-form-urlencoded" }
        if request.has("m") { return "multipart/form-data; boundary=b" }
        if request.has("t") { return "text/plain" }
        return request.has("o") ? nil : "application/json"
    }

    private var credentialLines: [String] {
        func value(_ letter: Unicode.Scalar) -> String {
            String(decoding: expansion.variables[UInt8(ascii: letter)] ?? [], as: UTF8.self)
        }
        var lines: [String] = []
        if request.has("a") { lines.append("Authorization: Bearer \(value("a"))") }
        if request.has("r") { lines.append("Authorization: Bearer \(value("r"))") }
        if request.has("v") {
            // One signature of 256 ends so already.
            let end = value("a").hasSuffix("AA") ? "BA" : "AA"
            lines.append("Authorization: Bearer \(value("a").dropLast(2))\(end)")
        }
        // "web:a secret of the client", and "web:x".
        if request.has("n") { lines.append("Authorization: Basic d2ViOmErc2VjcmV0K29mK3RoZStjbGllbnQ=") }
        if request.has("N") { lines.append("Authorization: Basic d2ViOng=") }
        if request.has("k") { lines.append("Cookie: refreshToken=\(value("r"))") }
        return lines
    }
}
