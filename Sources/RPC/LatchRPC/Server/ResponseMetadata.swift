// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

// The metadata of a method or an error. The error may come from another server and be forwarded with all its fields.
extension HTTPFields {
    /// The fields that an application may send.
    ///
    /// It excludes the fields that the protocol sets and those that would break the framing. A forwarded error may
    /// contain fields that describe another server's response.
    var applicationMetadata: HTTPFields {
        var fields = HTTPFields()
        for line in self where !line.name.isProtocolField && line.isSendable {
            fields.append(line.value, for: line.name)
        }
        return fields
    }

    /// Checks that all fields can be sent.
    ///
    /// - Throws: `RPCError.internal`, which names the field but not its value.
    func checkSendable() throws(RPCError) {
        do throws(HTTPError) { try validate() } catch {
            throw RPCError(.internal, "The method set a metadata field that cannot be sent.", cause: error)
        }
    }
}

extension CallContext {
    /// Checks that all fields of the response can be sent.
    func checkSendable() throws(RPCError) {
        try responseMetadata.checkSendable()
        try responseTrailers.checkSendable()
    }
}

extension HTTPFields.Field {
    /// Whether the field has a valid name and a single-line value.
    fileprivate var isSendable: Bool {
        let line: HTTPFields = [name: value]
        do throws(HTTPError) { try line.validate() } catch { return false }
        return true
    }
}

extension HTTPFieldName {
    /// Whether the RPC protocol or HTTP sets the field itself.
    fileprivate var isProtocolField: Bool {
        canonicalName.utf8.starts(with: "grpc-".utf8) || canonicalName.utf8.starts(with: "connect-".utf8)
            || Self.httpFields.contains(canonicalName)
    }

    /// RFC 9110 §6.5.1: the fields of framing, routing, encoding and connection.
    private static let httpFields: Set<String> = [
        "accept", "accept-encoding", "accept-post", "allow", "connection", "content-encoding", "content-length",
        "content-type", "date", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]
}
