// SPDX-License-Identifier: Apache-2.0

/// What stands between `--latch_out=` and its folder: `visibility=package,module=Users`.
package enum ProtocParameters {
    /// All parameters, for people.
    package static let summary =
        "layout=perFile|project, visibility=public|package|internal, naming=fullPath|pathToUnderscores|dropPath, "
        + "prefix=NAME (what names of types begin with), module=NAME (which these files become), "
        + "foundation=MODULE (which Data and Date come from), Mfile.proto=MODULE or Mfolder/=MODULE (where types of "
        + "other files live), services=A+B (these alone), clients=true|false (with layout=project)."

    /// Reads them; a file beside each .proto file is what users of protoc expect, so that is the default here.
    static func read(_ text: String) throws(GeneratorError) -> GenerationOptions {
        var options = GenerationOptions()
        options.swift.layout = .perFile
        options.makesClients = false
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            try set(pair[0].filter { $0 != " " }, pair.count > 1 ? pair[1] : "", in: &options)
        }
        // Tests and guides are of clients, and protoc's users ask for none.
        options.makesTests = options.makesClients
        options.makesGuides = options.makesClients
        return options
    }

    private static func set(
        _ name: String, _ value: String, in options: inout GenerationOptions
    ) throws(GeneratorError) {
        switch name {
        case "layout": options.swift.layout = try choice(name, value)
        case "visibility": options.swift.visibility = try choice(name, value)
        case "naming": options.swift.fileNaming = try choice(name, value)
        case "prefix": options.swift.typePrefix = value
        case "prefix_packages": options.swift.prefixesPackages = value.isEmpty || value == "true"
        case "module": options.swift.moduleName = value
        case "foundation": options.swift.foundation = value
        case "services": options.swift.services = Set(value.split(separator: "+").map(String.init))
        case "clients": options.makesClients = value == "true"
        case _ where name.hasPrefix("M") && name.utf8.count > 1:
            options.swift.modules[String(name.dropFirst())] = value
        default:
            throw .invalidConfiguration("there is no parameter '\(name)'", hint: "There are: \(summary)")
        }
    }

    /// One of several words, whatever their capitals.
    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ value: String
    ) throws(GeneratorError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice.allCases.first(where: { $0.rawValue.lowercased() == value.lowercased() }) else {
            throw .invalidConfiguration(
                "'\(value)' is no \(name)",
                hint: "Give one of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return choice
    }
}
