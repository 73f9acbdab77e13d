// SPDX-License-Identifier: Apache-2.0

/// The names of types that generated tests import.
///
/// A test qualifies a message of the same name with its module.
enum ImportedNames {
    /// The types of LatchRPC, AxiomCore and AxiomArchitecture.
    static let runtime: Set<String> = [
        "ActionError", "ActionFailure", "ActionRun", "ActionTraits", "ResponseCacheKey", "ResponseStore", "AxiomAction",
        "AxiomClient", "AxiomClientError", "AxiomError", "AxiomRecoveryStrategy", "AxiomState", "BoolValue",
        "BytesValue", "CacheStrategy", "CallContext", "CallOptions", "ClientCore", "ClientPerformance",
        "ClientSettings", "ClientStatistics", "DecodingLimits", "DoubleValue", "Empty", "EnumSchema", "Extension",
        "ExtensionField", "ExtensionSet", "FieldAccess", "FieldMask", "FieldValue", "FileResponseStore", "FloatValue",
        "Int32Value",
        "Int64Value", "ItemRules", "JSONDecodingOptions", "JSONEncodingOptions", "CachedResponse", "MapKey", "Message",
        "MessageRules", "MessageSchema", "MessageStorage", "NetworkStatus", "ProtoAny", "ProtoBytes", "ProtoDate",
        "ProtoDuration", "ProtoEnum", "ProtoError", "ProtoList", "ProtoNull", "ProtoStruct", "ProtoValue",
        "ProtoWrapper",
        "RPCChannel", "RPCCode", "RPCCodec", "RPCCompression", "RPCError", "RPCFakeMethod", "RPCIdempotency",
        "RPCKind", "RPCLimits", "RPCMethod", "RPCMethodHandler", "RPCProtocol", "RPCResponse", "RPCService",
        "RPCStream", "RPCWriter", "RuledMessage", "SchemaType", "ServiceAction", "ServiceClient",
        "ServiceState", "SortField", "StateIssue", "StateStatistics", "StateUpdateStrategy",
        "StringValue", "TextForms", "TextPattern", "TextFormatDecodingOptions", "TextFormatEncodingOptions",
        "Timestamp", "TypeRegistry", "AnySchema", "UInt32Value", "UInt64Value", "UnknownFields", "Violation",
    ]

    /// The types of swift-testing.
    static let testing: Set<String> = [
        "Attachable", "AttachableWrapper", "Attachment", "Backtrace", "Bug", "Comment", "ConditionTrait",
        "Confirmation", "CustomTestArgumentEncodable", "CustomTestStringConvertible", "ExitStatus", "ExitTest",
        "Issue", "IssueHandlingTrait", "ParallelizationTrait", "SourceLocation", "Suite", "SuiteTrait", "Tag", "Test",
        "TestScoping", "TestTrait", "TimeLimitTrait", "Trait",
    ]
}
