// SPDX-License-Identifier: Apache-2.0

/// Names of types that generated tests import besides those of the module that they test: a message that is called so
/// must be named by its module there.
enum ImportedNames {
    /// Types of LatchRPC and of the facades over it.
    static let runtime: Set<String> = [
        "ActionError", "ActionFailure", "ActionRun", "ActionTraits", "AnswerKey", "AnswerStore", "AxiomAction",
        "AxiomClient", "AxiomClientError", "AxiomError", "AxiomRecoveryStrategy", "AxiomState", "BoolValue",
        "BytesValue", "CacheStrategy", "CallContext", "CallOptions", "ClientCore", "ClientPerformance",
        "ClientSettings", "ClientStatistics", "DecodingLimits", "DoubleValue", "Empty", "EnumSchema", "Extension",
        "ExtensionField", "ExtensionSet", "FieldMask", "FieldValue", "FileAnswerStore", "FloatValue", "Int32Value",
        "Int64Value", "ItemRules", "JSONReadingOptions", "JSONWritingOptions", "KeptAnswer", "MapKey", "Message",
        "MessageRules", "MessageSchema", "MessageStorage", "NetworkStatus", "ProtoAny", "ProtoBytes", "ProtoDate",
        "ProtoDuration", "ProtoEnum", "ProtoError", "ProtoList", "ProtoNull", "ProtoStruct", "ProtoValue",
        "RPCChannel", "RPCCode", "RPCCodec", "RPCCompression", "RPCError", "RPCFakeMethod", "RPCIdempotency",
        "RPCKind", "RPCLimits", "RPCMethod", "RPCMethodHandler", "RPCProtocol", "RPCResponse", "RPCService",
        "RPCStatus", "RPCStream", "RPCWriter", "RuledMessage", "SchemaType", "ServiceAction", "ServiceClient",
        "ServiceState", "SortField", "StateIssue", "StateStatistics", "StateStore", "StateUpdateStrategy",
        "StoredKind", "StringValue", "TextForms", "TextPattern", "TextReadingOptions", "TextWritingOptions",
        "Timestamp", "TypeRegistry", "TypeShape", "UInt32Value", "UInt64Value", "UnknownFields", "Violation",
    ]

    /// Types of swift-testing.
    static let testing: Set<String> = [
        "Attachable", "AttachableWrapper", "Attachment", "Backtrace", "Bug", "Comment", "ConditionTrait",
        "Confirmation", "CustomTestArgumentEncodable", "CustomTestStringConvertible", "ExitStatus", "ExitTest",
        "Issue", "IssueHandlingTrait", "ParallelizationTrait", "SourceLocation", "Suite", "SuiteTrait", "Tag", "Test",
        "TestScoping", "TestTrait", "TimeLimitTrait", "Trait",
    ]
}
