// SPDX-License-Identifier: Apache-2.0

internal import LatchHTTP
internal import LatchJOSE

/// A signature as a message carries it, not yet believed.
struct SignatureCandidate: Sendable {
    let label: String
    let components: [SignatureComponent]
    let parameters: SignatureParameters
    /// As it came, since the order and the spelling of everything in it is signed.
    let input: StructuredInnerList
    private let signature: [UInt8]

    /// A signature of which only the label is read: what else is wrong with it is its own fault and nobody else's.
    struct Unread: Sendable {
        let label: String
        fileprivate let input: StructuredMember
        fileprivate let signature: StructuredMember?

        /// - Throws: `AuthError.malformedSignature` where something in it is malformed or not understood.
        func read() throws(AuthError) -> SignatureCandidate { try SignatureCandidate(label, input, signature) }
    }

    /// The signatures of a message, in the order in which they stand (RFC 9421 §4.1 and §4.2).
    ///
    /// - Throws: `AuthError.malformedSignature` where one of the two fields is malformed, or has a label more than the
    ///   other.
    static func all(of fields: HTTPFields) throws(AuthError) -> [Unread] {
        let (inputs, signatures): (StructuredDictionary, StructuredDictionary)
        do {
            inputs = try fields.structuredDictionary(.signatureInput)
            signatures = try fields.structuredDictionary(.signature)
        } catch {
            throw .malformedSignature("a field is no dictionary")
        }
        guard inputs.count == signatures.count else {
            throw .malformedSignature("a label stands in one of the two fields alone")
        }
        return inputs.map { Unread(label: $0.key, input: $0.member, signature: signatures[$0.key]) }
    }

    private init(_ label: String, _ input: StructuredMember, _ signature: StructuredMember?) throws(AuthError) {
        guard let input = input.innerList else { throw .malformedSignature("its input is no inner list") }
        guard let signature = signature?.item?.value.bytesValue else {
            throw .malformedSignature("it is missing, or no byte sequence")
        }
        self.label = label
        self.input = input
        self.signature = signature
        parameters = try SignatureParameters(input.parameters)
        var components: [SignatureComponent] = []
        for item in input.items { components.append(try SignatureComponent(item)) }
        self.components = components
    }

    /// Verifies the signature alone, whatever it covers and however old it is.
    ///
    /// - Throws: `AuthError.refusedSignature` where it is not the key's for this message.
    func check(_ message: SignedMessage, with key: Key, structured kinds: StructuredKinds) throws(AuthError) {
        guard let name = SignatureScheme.name(of: key) else {
            throw .refusedSignature("its key is for no algorithm of message signatures")
        }
        // RFC 9421 §3.2, step 6: the algorithm is the key's. A message that names another one is not asked twice.
        guard parameters.algorithm == nil || parameters.algorithm == name else {
            throw .refusedSignature("it names another algorithm than its key has")
        }
        let base = try SignedText.text(for: input, of: message, structured: kinds)
        guard key.isValidSignature(signature, for: Array(base.utf8)) else { throw .refusedSignature("it is wrong") }
    }
}

extension HTTPFieldName {
    /// RFC 9421 §4.1.
    static let signatureInput: HTTPFieldName = "Signature-Input"
    /// RFC 9421 §4.2.
    static let signature: HTTPFieldName = "Signature"
}
