// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The last piece of a stream of Connect: how it ended, and what comes after (Connect protocol, "Streaming-Response").
struct ConnectEnd {
    /// Why it failed; nil where it did not.
    var error: RPCError?
    /// The fields after the messages.
    var metadata: HTTPFields

    /// The end of a stream.
    init(error: RPCError?, metadata: HTTPFields) {
        self.error = error
        self.metadata = metadata
    }

    /// Reads the content of the last piece.
    ///
    /// - Parameter fields: Those of the head, which go with an error too.
    /// - Throws: `RPCError.unknown` where it is not what the protocol wants.
    init(_ content: [UInt8], after fields: HTTPFields) throws {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: content)
        } catch {
            throw RPCError(.unknown, "The end of the stream is no JSON.", cause: error)
        }
        guard let object = json.objectValue else { throw RPCError(.unknown, "The end of the stream is no object.") }
        metadata = HTTPFields()
        for (name, values) in object["metadata"]?.objectValue ?? [:] {
            for value in values.arrayValue ?? [] {
                if let text = value.stringValue { metadata.append(text, for: HTTPFieldName(name)) }
            }
        }
        guard let failure = object["error"], !failure.isNull else { return }
        error = ConnectError.error(failure, fallback: .unknown, metadata: fields.joined(with: metadata))
    }

    /// The content of the last piece.
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
