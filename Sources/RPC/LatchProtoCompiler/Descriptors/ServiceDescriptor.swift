// SPDX-License-Identifier: Apache-2.0

/// A service (`ServiceDescriptorProto`).
package final class ServiceDescriptor: Declaration {
    /// The methods, in source order.
    @exclusivity(unchecked) package internal(set) var methods: [MethodDescriptor] = []
    /// The values that a generator derives from the linked service.
    package let memo = Memo()
}

/// A method of a service (`MethodDescriptorProto`).
package final class MethodDescriptor: Declaration {
    package unowned let service: ServiceDescriptor
    /// The name of the request type: as written in the source before linking, absolute with a leading dot afterwards.
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
    /// Whether the method has a block of options, even an empty one.
    var hasOptionBlock = false
    var inputPosition: SourcePosition?
    var outputPosition: SourcePosition?

    init(of service: ServiceDescriptor) {
        self.service = service
        super.init(name: "", file: service.file, namePosition: nil)
    }
}
