// SPDX-License-Identifier: Apache-2.0

/// A service (`ServiceDescriptorProto`).
package final class ServiceDescriptor {
    @exclusivity(unchecked) package internal(set) var name: String
    /// The full name: the package and the name, without a leading dot.
    @exclusivity(unchecked) package internal(set) var fullName = ""
    package unowned let file: FileDescriptor
    /// The methods, in source order.
    @exclusivity(unchecked) package internal(set) var methods: [MethodDescriptor] = []
    @exclusivity(unchecked) package internal(set) var options = Options()
    @exclusivity(unchecked) package internal(set) var comments = Comments()
    /// The resolved features, which are only used to check the name.
    var features = FeatureSet(defaultsOf: .proto2)
    package let namePosition: SourcePosition

    init(name: String, file: FileDescriptor, namePosition: SourcePosition) {
        self.name = name
        self.file = file
        self.namePosition = namePosition
    }
}

/// A method of a service (`MethodDescriptorProto`).
package final class MethodDescriptor {
    @exclusivity(unchecked) package internal(set) var name = ""
    /// The full name: that of the service and the name.
    @exclusivity(unchecked) package internal(set) var fullName = ""
    package unowned let service: ServiceDescriptor
    /// The name of the request type: as in the source before linking, and absolute with a leading dot afterwards.
    @exclusivity(unchecked) package internal(set) var inputName = ""
    /// The name of the response type, in the same form as `inputName`.
    @exclusivity(unchecked) package internal(set) var outputName = ""
    /// The request type; nil before linking.
    @exclusivity(unchecked) package internal(set) unowned var input: MessageDescriptor?
    /// The response type; nil before linking.
    @exclusivity(unchecked) package internal(set) unowned var output: MessageDescriptor?
    /// Whether the client sends a stream of requests.
    @exclusivity(unchecked) package internal(set) var isClientStreaming = false
    /// Whether the server sends a stream of responses.
    @exclusivity(unchecked) package internal(set) var isServerStreaming = false
    @exclusivity(unchecked) package internal(set) var options = Options()
    /// Whether it has a block of options, even an empty one.
    var hasOptionBlock = false
    @exclusivity(unchecked) package internal(set) var comments = Comments()
    /// The resolved features, which are only used to check the name.
    var features = FeatureSet(defaultsOf: .proto2)
    @exclusivity(unchecked) package var namePosition: SourcePosition?
    var inputPosition: SourcePosition?
    var outputPosition: SourcePosition?

    init(of service: ServiceDescriptor) { self.service = service }
}
