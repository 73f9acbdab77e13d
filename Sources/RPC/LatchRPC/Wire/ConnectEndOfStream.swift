// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The last envelope of a Connect stream: its outcome and trailers (Connect protocol, "Streaming-Response").
struct ConnectEndOfStream {
    /// The error; nil for success.
    var error: RPCError?
    /// The trailers.
    var metadata: HTTPFields

    /// The content of the last envelope.
    var bytes: [UInt8] {
        var object = JSONObject()
        if let error { object["error"] = ConnectError.json(error) }
        if !metadata.isEmpty {
            var lists = JSONObject()
            for line in metadata {
                let earlier = lists[line.name.canonicalName]?.arrayValue ?? []
                lists[line.name.canonicalName] = .array(earlier + [.string(line.value)])
            }
            object["metadata"] = .object(lists)
        }
        return JSONValue.object(object).serialized()
    }
}

extension ConnectEndOfStream {
    /// Parses the content of the last envelope.
    ///
    /// - Parameter fields: The response metadata, which becomes part of an error.
    /// - Throws: `RPCError.unknown` if the content is malformed.
    init(_ content: [UInt8], after fields: HTTPFields) throws {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: content)
        } catch {
            throw RPCError(.unknown, "The end of the stream is not valid JSON.", cause: error)
        }
        guard let object = json.objectValue else {
            throw RPCError(.unknown, "The end of the stream is not a JSON object.")
        }
        self.init(error: nil, metadata: [:])
        for (name, values) in object["metadata"]?.objectValue ?? [:] {
            for value in values.arrayValue ?? [] {
                if let text = value.stringValue { metadata.append(text, for: HTTPFieldName(name)) }
            }
        }
        guard let failure = object["error"], !failure.isNull else { return }
        error = ConnectError.error(failure, fallback: .unknown, metadata: fields.joined(with: metadata))
    }
}
