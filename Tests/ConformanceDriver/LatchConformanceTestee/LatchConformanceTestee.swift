// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchRPC

/// The implementation under test of protobuf's conformance runner: it decodes a message from one encoding and encodes
/// it in another.
public enum LatchConformanceTestee {
    /// Returns the message in the other encoding, the error, or why it was skipped.
    public static func answer(_ request: ConformanceRequest) -> ConformanceResponse {
        ConformanceResponse(result: result(of: request))
    }

    private static func result(of request: ConformanceRequest) -> ConformanceResponse.Result {
        if request.messageType == FailureSet.name { return .protobufPayload(Data()) }
        guard let type = messages[request.messageType] else { return .skipped("no such message") }
        do throws(ProtoError) {
            guard let message = try read(request, as: type) else { return .skipped("no such encoding") }
            do throws(ProtoError) {
                return try write(message, for: request)
            } catch {
                return .serializeError(error.message)
            }
        } catch {
            return .parseError(error.message)
        }
    }

    private static func read(
        _ request: ConformanceRequest, as type: any Message.Type
    ) throws(ProtoError) -> (any Message)? {
        switch request.payload {
        case .protobufPayload(let bytes): try type.init(serialized: Array(bytes), extensions: extensions)
        case .jsonPayload(let text): try type.init(json: text, options: jsonReading(request))
        case .textPayload(let text): try type.init(text: text, options: textReading)
        case .jspbPayload, nil: nil
        }
    }

    private static func write(
        _ message: any Message, for request: ConformanceRequest
    ) throws(ProtoError) -> ConformanceResponse.Result {
        switch request.requestedOutputFormat {
        case .protobuf: .protobufPayload(Data(try message.serialized()))
        case .json: .jsonPayload(try message.json(JSONEncodingOptions(types: types, extensions: extensions)))
        case .textFormat:
            .textPayload(
                message.text(
                    TextFormatEncodingOptions(
                        includesUnknownFields: request.printUnknownFields, types: types, extensions: extensions)))
        case .jspb, .unspecified, .unrecognized: .skipped("no such encoding")
        }
    }

    private static func jsonReading(_ request: ConformanceRequest) -> JSONDecodingOptions {
        JSONDecodingOptions(
            ignoresUnknownFields: request.testCategory == .jsonIgnoreUnknownParsingTest, types: types,
            extensions: extensions)
    }

    private static let textReading = TextFormatDecodingOptions(types: types, extensions: extensions)

    private static let messages: [String: any Message.Type] = {
        let types: [any Message.Type] = [
            TestAllTypesProto2.self, TestAllTypesProto3.self, EditionsTestAllTypesProto2.self,
            EditionsTestAllTypesProto3.self, TestAllTypesEdition2023.self, TestAllTypesEditionUnstable.self,
        ]
        return Dictionary(types.map { ($0.schema.name, $0) }) { first, _ in first }
    }()

    /// The message types that an Any may contain.
    public static let types = TypeRegistry(Array(messages.values))

    /// The extensions of the runner's messages.
    public static let extensions: ExtensionSet = {
        var extensions = AllTypesProto2Extensions.all
        extensions.formUnion(AllTypesEditionsProto2Extensions.all)
        extensions.formUnion(AllTypesEdition2023Extensions.all)
        extensions.formUnion(AllTypesEditionUnstableExtensions.all)
        extensions.formUnion([
            TestAllTypesProto2.MessageSetCorrectExtension1.Extensions.messageSetExtension,
            TestAllTypesProto2.MessageSetCorrectExtension2.Extensions.messageSetExtension,
            TestAllTypesProto2.ExtensionWithOneof.Extensions.extensionWithOneof,
            EditionsTestAllTypesProto2.MessageSetCorrectExtension1.Extensions.messageSetExtension,
            EditionsTestAllTypesProto2.MessageSetCorrectExtension2.Extensions.messageSetExtension,
            EditionsTestAllTypesProto2.ExtensionWithOneof.Extensions.extensionWithOneof,
        ])
        return extensions
    }()
}
