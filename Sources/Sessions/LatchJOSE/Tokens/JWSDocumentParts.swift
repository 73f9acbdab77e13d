// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// The parts of signed bytes in JSON, read and not yet believed.
struct JWSDocumentParts {
    /// One signature with its headers.
    struct Entry {
        /// The protected header as it was signed, still encoded; empty where there is none.
        let protectedText: [UInt8]
        let protected: JSONObject
        let unprotected: JSONObject
        /// The members of both.
        let header: TokenHeader
        let signature: [UInt8]
    }

    /// The payload as it stands in the text; nil where the text has none.
    let payload: [UInt8]?
    let entries: [Entry]

    /// Headers have no depth, and the whole two levels more.
    private static let depth = 10

    init(_ text: [UInt8], limit: Int) throws(JOSEError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: text, limits: JSONLimits(depth: Self.depth, bytes: limit))
        } catch {
            throw .malformedToken("it is not JSON, or too long")
        }
        guard let members = value.objectValue else { throw .malformedToken("it is not an object") }
        payload = try members.part("payload").map { Array($0.utf8) }
        var entries: [Entry] = []
        for object in try Self.objects(in: members) { entries.append(try Entry(object)) }
        self.entries = entries
    }

    /// The objects that hold the signatures: those of the list, or the whole of the flattened form.
    private static func objects(in members: JSONObject) throws(JOSEError) -> [JSONObject] {
        guard let signatures = members["signatures"] else { return [members] }
        // RFC 7515 §7.2.2: with both forms in one text, readers would differ in which of them they take.
        guard members["signature"] == nil, members["protected"] == nil, members["header"] == nil else {
            throw .malformedToken("it mixes the general and the flattened form")
        }
        let objects = signatures.arrayValue?.map(\.objectValue) ?? []
        guard (1...JWSDocument.mostSignatures).contains(objects.count) else {
            throw .malformedToken("it has no list of signatures, or too long a one")
        }
        guard !objects.contains(where: { $0 == nil }) else { throw .malformedToken("a signature is not an object") }
        return objects.compactMap(\.self)
    }

    /// How the payload is written, on which all signatures have to agree.
    func encoding(understood: Set<String>) throws(JOSEError) -> JWSEncoding {
        var agreed: JWSEncoding?
        for entry in entries {
            let encoding = try CriticalMembers.check(
                protected: entry.protected, unprotected: entry.unprotected, understood: understood)
            // RFC 7797 §3: with several signatures, b64 is the same in each.
            guard agreed == nil || agreed == encoding else { throw .malformedToken("its signatures differ in b64") }
            agreed = encoding
        }
        return agreed ?? .base64url
    }
}

extension JWSDocumentParts.Entry {
    fileprivate init(_ object: JSONObject) throws(JOSEError) {
        guard let code = try object.part("signature") else { throw .malformedToken("it lacks a signature") }
        let text = try object.part("protected")
        // RFC 7515 §7.2.1: a header without members is left out, and has no empty spelling.
        guard text?.isEmpty != true else { throw .malformedToken("its protected header is empty") }
        let signed = text.map { Array($0.utf8) } ?? []
        let protected: JSONObject = signed.isEmpty ? [:] : try TokenHeader.members(base64URL: signed[...])
        let header = object["header"] ?? [:]
        guard let unprotected = header.objectValue else { throw .malformedToken("its header is not an object") }
        // RFC 7515 §7.2.1: the names of both are disjoint, so that nobody can change what a signed member says.
        guard unprotected.allSatisfy({ protected[$0.key] == nil }) else {
            throw .malformedToken("a member stands in both headers")
        }
        self.init(
            protectedText: signed, protected: protected, unprotected: unprotected,
            header: try TokenHeader(JSONObject(Array(protected) + Array(unprotected))),
            signature: try Base64URL.decode(code))
    }
}

extension JSONObject {
    /// A member that is text, or nil where it is missing.
    fileprivate func part(_ name: String) throws(JOSEError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.stringValue else { throw .malformedToken("its \(name) is not a string") }
        return text
    }
}
