// SPDX-License-Identifier: Apache-2.0

/// A service (`ServiceDescriptorProto`).
public final class ServiceDescriptor {
    /// Its name.
    @exclusivity(unchecked) public internal(set) var name: String
    /// The name of the package and its own; without a dot in front.
    @exclusivity(unchecked) public internal(set) var fullName = ""
    /// The file.
    public unowned let file: FileDescriptor
    /// Its methods, in the order of the text.
    @exclusivity(unchecked) public internal(set) var methods: [MethodDescriptor] = []
    /// Its options.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// The comments around it.
    @exclusivity(unchecked) public internal(set) var comments = Comments()
    /// How it behaves, which matters for the rules of its name alone.
    var features = Features(defaultsOf: .proto2)
    package let place: Place

    init(name: String, file: FileDescriptor, place: Place) {
        self.name = name
        self.file = file
        self.place = place
    }
}

/// A method of a service (`MethodDescriptorProto`).
public final class MethodDescriptor {
    /// Its name.
    @exclusivity(unchecked) public internal(set) var name = ""
    /// The full name of the service and its own.
    @exclusivity(unchecked) public internal(set) var fullName = ""
    /// The service.
    public unowned let service: ServiceDescriptor
    /// What is sent: as it is written, and once it is resolved with a dot in front and complete.
    @exclusivity(unchecked) public internal(set) var inputName = ""
    /// What is answered, written as `inputName` is.
    @exclusivity(unchecked) public internal(set) var outputName = ""
    /// What is sent.
    @exclusivity(unchecked) public internal(set) unowned var input: MessageDescriptor?
    /// What is answered.
    @exclusivity(unchecked) public internal(set) unowned var output: MessageDescriptor?
    /// Whether the client sends any number.
    @exclusivity(unchecked) public internal(set) var isClientStreaming = false
    /// Whether the server answers with any number.
    @exclusivity(unchecked) public internal(set) var isServerStreaming = false
    /// Its options.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// Whether it has a block of options, be that empty.
    var hasBlock = false
    /// The comments around it.
    @exclusivity(unchecked) public internal(set) var comments = Comments()
    /// How it behaves, which matters for the rules of its name alone.
    var features = Features(defaultsOf: .proto2)
    @exclusivity(unchecked) package var place: Place?
    var inputPlace: Place?
    var outputPlace: Place?

    init(of service: ServiceDescriptor) { self.service = service }
}
