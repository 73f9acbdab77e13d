// SPDX-License-Identifier: Apache-2.0

package import LatchProtoCompiler

/// The .proto files that declare the options of generated clients, for this compiler and for protoc.
///
/// - `axiom_options.proto`: the file that a service imports. It declares nothing and imports the two others publicly.
/// - `axiom/options/v1/options.proto`: `(axiom.options.v1.axiom_service)` and similar options, whose enum values have
///   long names.
/// - `axiom/options.proto`: `(axiom.service_options)` and similar options, whose enum values have short names. It also
///   has `(axiom.swift_client_actor)` and similar options, which are single strings.
package enum OptionFiles {
    /// The import paths and the contents; each file comes after the files that it imports.
    private static let files: KeyValuePairs = [
        "axiom/options/v1/options.proto": PackageResources.options_v1_proto,
        "axiom/options.proto": PackageResources.options_proto,
        "axiom_options.proto": PackageResources.axiom_options_proto,
    ]

    /// The import paths; each file comes after the files that it imports.
    package static let names = files.map(\.key)

    /// Returns the bytes of a file; nil for any other name.
    package static func bytes(of name: String) -> [UInt8]? { files.first { $0.key == name }?.value }
}

extension Compiler {
    /// Creates a compiler that uses the option files if `read` returns nil.
    ///
    /// - Parameter recordsLocations: Whether descriptors contain source code info.
    package static func withOptionFiles(recordsLocations: Bool = false, reading read: @escaping Read) -> Compiler {
        Compiler(recordsLocations: recordsLocations) { name in read(name) ?? OptionFiles.bytes(of: name) }
    }
}
