//! Commands that start a server, and so do not end by themselves.

/// Whether a command is known to start a server.
pub(crate) fn is_server(input: &str) -> bool {
    const SERVERS: [&str; 18] = [
        "spring-boot:run",
        "bootRun",
        "npm run dev",
        "npm start",
        "npm run start",
        "pnpm dev",
        "pnpm run dev",
        "yarn dev",
        "bun dev",
        "bun run dev",
        "next dev",
        "manage.py runserver",
        "flask run",
        "uvicorn ",
        "rails s",
        "artisan serve",
        "http.server",
        "quarkus:dev",
    ];
    SERVERS.iter().any(|server| input.contains(server))
}
