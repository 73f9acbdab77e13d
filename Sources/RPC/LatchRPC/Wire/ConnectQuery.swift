// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// A message in the query of a GET request (Connect protocol, "Unary-Get-Request").
struct ConnectQuery {
    /// The message, compressed if `compression` is set.
    var content: [UInt8]
    var codec: RPCCodec
    var compression: String?

    /// The query; its order is fixed, so that equal calls have equal URLs, which caches find.
    ///
    /// It is the order that the protocol recommends, so that other clients produce the same URLs.
    var text: String {
        let isText = codec == .json && compression == nil
        var text = isText ? "connect=v1" : "connect=v1&base64=1"
        if let compression { text += "&compression=\(compression)" }
        let message =
            isText
            ? PercentEncoding.encode(content) : String(decoding: Base64Alphabet.url.encode(content), as: UTF8.self)
        return text + "&encoding=\(codec.rawValue)&message=\(message)"
    }
}

extension ConnectQuery {
    /// Parses the query of a request.
    ///
    /// - Throws: `RPCError.invalidArgument`.
    init(_ request: HTTPRequest) throws(RPCError) {
        var values: [String: [UInt8]] = [:]
        for pair in request.rawQueryPairs {
            let name = String(decoding: PercentEncoding.decode(pair.name.utf8, plusIsSpace: true), as: UTF8.self)
            values[name] = PercentEncoding.decode(pair.value.utf8, plusIsSpace: true)
        }
        let texts = values.mapValues { String(decoding: $0, as: UTF8.self) }
        if let version = texts["connect"], version != "v1" {
            throw RPCError(.invalidArgument, "Only version v1 of Connect is supported.")
        }
        guard let codec = texts["encoding"].flatMap(RPCCodec.init(rawValue:)) else {
            throw RPCError(.invalidArgument, "The query names no supported encoding.")
        }
        guard var message = values["message"] else { throw RPCError(.invalidArgument, "The query has no message.") }
        if texts["base64"] == "1" {
            guard let bytes = Base64Alphabet.url.decode(message.filter { $0 != 0x3D }) else {
                throw RPCError(.invalidArgument, "The message is not valid base64.")
            }
            message = bytes
        }
        self.init(content: message, codec: codec, compression: texts["compression"])
    }
}
