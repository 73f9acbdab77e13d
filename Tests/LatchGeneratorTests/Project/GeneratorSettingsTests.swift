// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import Testing

@testable import LatchGenerator

@Suite struct GeneratorSettingsTests {
    private func settings(_ file: String, at path: String = "latchwork.toml") throws -> GeneratorSettings {
        var settings = GeneratorSettings()
        try settings.read(file: file, at: path)
        return settings
    }

    @Test func `The settings of the generator come from the file, then from the environment, then from flags`() throws {
        var settings = try settings(
            "[generate]\nclient_suffix = \"File\"\npackage_name = \"File\"\nservices = [\"A\", \"B\"]\n")
        #expect(settings.text(.clientSuffix) == "File" && settings.words(.services) == ["A", "B"])
        settings.read(environment: ["AXIOM_CLIENT_SUFFIX": "Environment", "AXIOM_GENERATE_TESTS": "false"])
        #expect(settings.text(.clientSuffix) == "Environment" && settings.text(.packageName) == "File")
        try expectEqual(settings.options().makesTests, false)
        settings.set(.clientSuffix, ["Flag"], from: "--client-suffix")
        try expectEqual(settings.options().clientSuffix, "Flag")
    }

    @Test func `Each setting of the generator has a variable`() {
        expectEqual(GeneratorOption.clientSuffix.variable, "AXIOM_CLIENT_SUFFIX")
        expectEqual(GeneratorOption.tests.variable, "AXIOM_GENERATE_TESTS")
        expectEqual(GeneratorOption.frameworkVersion.variable, "AXIOM_VERSION")
        expectEqual(Set(GeneratorOption.allCases.map(\.variable)).count, GeneratorOption.allCases.count)
    }

    @Test func `The settings of the generator have paths relative to the folder of their file`() throws {
        let text = "[generate]\nproto_path = \"protos\"\noutput_path = \"/out\"\ninclude = [\"a\", \"/b\"]\n"
        let moved = try settings(text, at: "config/latchwork.toml")
        #expect(moved.text(.protoPath) == "config/protos" && moved.text(.outputPath) == "/out")
        expectEqual(moved.words(.include), ["config/a", "/b"])
        try expectEqual(settings(text).text(.protoPath), "protos")
    }

    @Test(arguments: [".git/hooks", ".GIT", "a/.git"])
    func `The settings of the generator choose no output in git's own folder`(output: String) throws {
        let settings = try settings("[generate]\noutput_path = \"\(output)\"\n")
        #expect(throws: GeneratorError.invalidConfiguration) { try settings.outputFolder() }
    }

    @Test(arguments: ["../out", "a/../../out", "/etc/out", "link/out", "link", "."])
    func `The settings of the generator choose no output outside their folder, unless a user names it`(output: String)
        throws
    {
        try ProjectFolder.with(["repo/x": "", "outside/x": ""]) { folder throws in
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/repo/link", withDestinationPath: "../outside")
            var settings = try settings(
                "[generate]\noutput_path = \"\(output)\"\n", at: folder.path + "/repo/latchwork.toml")
            if output == "." {
                try expectEqual(settings.outputFolder(), folder.path + "/repo/.")
            } else {
                let error = #expect(throws: GeneratorError.invalidConfiguration) { try settings.outputFolder() }
                expectEqual(error?.message.contains("latchwork.toml:2: the output '"), true)
                expectEqual(error?.hint?.contains("--output-path"), true)
            }
            settings.set(.outputPath, [folder.path + "/outside"], from: "--output-path")
            try expectEqual(settings.outputFolder(), folder.path + "/outside")
        }
    }

    @Test(arguments: [
        ("[generate]\nclient_sufix = \"x\"\n", "latchwork.toml:2: there is no setting 'client_sufix'"),
        ("[generate]\nservices = 3\n", "latchwork.toml:2: 'services'"), ("[generate\n", "latchwork.toml:1:"),
        ("[generate]\ninclude = [\"a\", 1]\n", "latchwork.toml:2: 'include'"),
    ])
    func `The settings of the generator are refused with their line if they are invalid`(text: String, start: String)
        throws
    {
        let error = #expect(throws: GeneratorError.invalidConfiguration) { try settings(text) }
        expectEqual(error?.message.hasPrefix(start), true, "\(error?.message ?? "")")
    }

    @Test func `The settings of the generator of other tables are ignored`() throws {
        try expectEqual(settings("[other]\nwhat = 1\n[generate]\nvalidate = true\n").flag(.validate), true)
    }

    @Test(arguments: ["", "1Client", "a-b", "a b", "é"])
    func `The settings of the generator accept only names that Swift accepts`(name: String)
        throws
    {
        var settings = GeneratorSettings()
        settings.set(.clientSuffix, [name], from: "--client-suffix")
        #expect(throws: GeneratorError.invalidConfiguration) { try settings.options() }
        settings = GeneratorSettings()
        settings.set(.packageName, [name], from: "--package-name")
        #expect(throws: GeneratorError.invalidConfiguration) { try settings.options() }
    }

    @Test func `The settings of the generator accept known words, and list them in the error`() throws {
        var settings = GeneratorSettings()
        settings.set(.visibility, ["package"], from: "--visibility")
        settings.set(.layout, ["perFile"], from: "--layout")
        try expectEqual(settings.options().swift.visibility, .package)
        try expectEqual(settings.options().swift.layout, .perFile)
        settings.set(.visibility, ["open"], from: "--visibility")
        let error = #expect(throws: GeneratorError.invalidConfiguration) { try settings.options() }
        expectEqual(error?.message.contains("--visibility: 'open' must be one of public, package, internal"), true)
    }

    @Test(arguments: [("true", true), ("1", true), ("YES", true), ("false", false), ("0", false), ("no", false)])
    func `The settings of the generator accept true and false in several spellings`(text: String, value: Bool) throws {
        var settings = GeneratorSettings()
        settings.set(.tests, [text], from: "x")
        try expectEqual(settings.flag(.tests), value)
        settings.set(.tests, ["maybe"], from: "x")
        #expect(throws: GeneratorError.self) { try settings.flag(.tests) }
    }

    @Test(arguments: GeneratorOption.allCases)
    func `The settings of the generator exist in the file, the environment, as a flag and in the tool`(
        option: GeneratorOption
    )
        throws
    {
        try expectEqual(self.settings("[generate]\n\(option.rawValue) = \"word\"\n").text(option), "word")
        var settings = GeneratorSettings()
        settings.read(environment: [option.variable: "word"])
        expectEqual(settings.text(option), "word")
        #expect(option.flag != nil || option.definition.clearingFlag != nil || option == .contracts)
        #expect(!option.toolArguments.isEmpty && !option.definition.summary.isEmpty)
    }

    @Test func `The settings of the generator that concern Swift are parameters of protoc`() throws {
        let settings = try GeneratorSettings(
            protocParameter: "layout=project,visibility=Package,naming=DropPath,prefix=XY,prefix_packages,module=Shop,"
                + "foundation=Foundation,Mbase/=Base,Mmoney.proto=Money,services=A+B,clients=true,client_suffix=Actor")
        let options = try settings.options()
        #expect(options.swift.layout == .project && options.swift.visibility == .package)
        #expect(options.swift.fileNaming == .dropPath && options.swift.typePrefix == "XY")
        #expect(options.swift.prefixesPackages && options.swift.moduleName == "Shop")
        #expect(options.swift.foundation == "Foundation" && options.clientSuffix == "Actor")
        expectEqual(options.swift.modules, ["base/": "Base", "money.proto": "Money"])
        #expect(settings.words(.services) == ["A", "B"] && options.makesClients)
        for name in ["layout", "visibility", "naming", "prefix", "prefix_packages", "module", "foundation", "services"]
        {
            #expect(GeneratorSettings.protocParameters.contains("\(name)="))
        }
        #expect(throws: GeneratorError.invalidConfiguration) { try GeneratorSettings(protocParameter: "output_path=x") }
    }

    @Test func `The settings of the generator map files to modules, each with its name`() throws {
        var settings = GeneratorSettings()
        settings.set(.moduleMapping, ["base/=Base"], from: "--module-mapping")
        try expectEqual(settings.options().swift.modules, ["base/": "Base"])
        settings.set(.moduleMapping, ["base/"], from: "--module-mapping")
        #expect(throws: GeneratorError.invalidConfiguration) { try settings.options() }
    }
}
