import Foundation
import LatchGenerator
import LatchProto
import Testing

@Test func `zz write`() throws {
    guard let out = ProcessInfo.processInfo.environment["WRITE_TO"] else { return }
    let name = "userservice/v1/user_service.proto"
    let text = try exampleFile("user-service/Protos/\(name)")
    let compilation = Compiler.withOptionFiles { $0 == name ? text : nil }.compile([name])
    print(compilation.diagnostics)
    var options = SwiftOptions()
    options.moduleName = "UserService"
    let contracts = SwiftWriter(files: compilation.requested, options: options).write()
    let planning = ServicePlan.read(compilation.requested)
    let clients = ClientWriter(planning.plans, files: compilation.requested, options: options).write()
    print(contracts.diagnostics, planning.diagnostics, clients.diagnostics)
    for file in contracts.files + clients.files {
        let url = URL(fileURLWithPath: out).appendingPathComponent(file.path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: url)
    }
}
