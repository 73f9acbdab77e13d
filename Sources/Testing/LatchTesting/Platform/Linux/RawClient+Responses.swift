// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

public import LatchHTTP

extension RawClient {
    /// Reads one response, whose content has a length, from `rest` and the connection.
    ///
    /// - Parameters:
    ///   - rest: What was read behind the last response; afterwards what was read behind this one.
    ///   - isHead: Whether the request was `HEAD`, so that no content follows.
    /// - Returns: nil when the connection ended before the response did.
    public func receiveResponse(rest: inout [UInt8], toHead isHead: Bool = false) async -> HTTPResponse? {
        while true {
            if let (response, length) = Self.response(in: rest, toHead: isHead) {
                rest.removeFirst(length)
                return response
            }
            guard let bytes = await receive() else { return nil }
            rest += bytes
        }
    }

    /// Reads one response.
    public func receiveResponse(toHead isHead: Bool = false) async -> HTTPResponse? {
        var rest: [UInt8] = []
        return await receiveResponse(rest: &rest, toHead: isHead)
    }

    /// Reads all responses until the other side closes.
    public func receiveResponses() async -> [HTTPResponse] {
        var (rest, responses): ([UInt8], [HTTPResponse]) = ([], [])
        while let response = await receiveResponse(rest: &rest) { responses.append(response) }
        return responses
    }

    /// A whole response at the front and its length in bytes; nil while something of it is missing.
    private static func response(in bytes: [UInt8], toHead isHead: Bool) -> (HTTPResponse, length: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        var lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
        var response = HTTPResponse(status: HTTPStatus(rawValue: status))
        for line in lines {
            let name = line.prefix { $0 != ":" }
            let value = line[name.endIndex...].dropFirst().drop { $0 == " " }
            response.fields.append(String(value), for: HTTPFieldName(String(name)))
        }
        let length = isHead ? 0 : response.fields[.contentLength].flatMap { Int($0) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        response.body = HTTPBody(Array(bytes[end.upperBound..<(end.upperBound + length)]))
        return (response, end.upperBound + length)
    }
}

#endif
