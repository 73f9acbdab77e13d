// SPDX-License-Identifier: Apache-2.0

/// The files that every compiler of Protocol Buffers provides.
///
/// Their declarations have no comments. The features of other languages have no deprecation warnings.
enum WellKnownFiles {
    private static let contents = [
        "any": PackageResources.any_proto, "api": PackageResources.api_proto,
        "cpp_features": PackageResources.cpp_features_proto, "descriptor": PackageResources.descriptor_proto,
        "duration": PackageResources.duration_proto, "empty": PackageResources.empty_proto,
        "field_mask": PackageResources.field_mask_proto, "go_features": PackageResources.go_features_proto,
        "java_features": PackageResources.java_features_proto,
        "source_context": PackageResources.source_context_proto, "struct": PackageResources.struct_proto,
        "timestamp": PackageResources.timestamp_proto, "type": PackageResources.type_proto,
        "wrappers": PackageResources.wrappers_proto,
    ]

    /// Returns the bytes of a file by its import name; nil for other names.
    static func bytes(of name: String) -> [UInt8]? {
        guard name.hasPrefix("google/protobuf/"), name.hasSuffix(".proto") else { return nil }
        return contents[String(name.dropFirst(16).dropLast(6))]
    }
}
