// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

// What a method leaves to go with its answer: its own fields, and those of an error, which may be one that it was given by
// another server and throws on, with everything that came along.
extension HTTPFields {
    /// What of these may stand beside an answer.
    ///
    /// What says how this answer is written is this side's to say, whatever another server said of another one; a line that
    /// would break the framing is left out.
    var besideAnswer: HTTPFields {
        var fields = HTTPFields()
        for line in self where !line.name.isSaidByProtocol && line.isSendable {
            fields.append(line.value, for: line.name)
        }
        return fields
    }

    /// Refuses lines that cannot be sent.
    ///
    /// - Throws: `RPCError.internal`, which names the field and never its value.
    func checkSendable() throws(RPCError) {
        do throws(HTTPError) { try validate() } catch {
            throw RPCError(.internal, "The method left a field that cannot be sent.", cause: error)
        }
    }
}

extension HTTPFields.Field {
    /// Whether the line is one line, with the name of a field.
    fileprivate var isSendable: Bool {
        let line: HTTPFields = [name: value]
        do throws(HTTPError) { try line.validate() } catch { return false }
        return true
    }
}

extension HTTPFieldName {
    /// Whether the protocol of calls, or HTTP below it, writes the field itself.
    fileprivate var isSaidByProtocol: Bool {
        canonicalName.hasPrefix("grpc-") || canonicalName.hasPrefix("connect-") || Self.ofHTTP.contains(canonicalName)
    }

    /// RFC 9110 §6.5.1: how a message is framed, routed and encoded, and of which connection it is.
    private static let ofHTTP: Set<String> = [
        "accept", "accept-encoding", "accept-post", "allow", "connection", "content-encoding", "content-length",
        "content-type", "date", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]
}
