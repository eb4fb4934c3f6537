"""`paddock build` and POST /build: bash scripts and gradle wrappers, run as what they are."""

from harness import ProjectTest, main, make_project

SCRIPT = "#!/bin/bash\nset -e\nmkdir -p out\nprintf '%s\\n' \"$@\" > out/args.txt\necho built \"$@\"\n"
WRAPPER = "#!/bin/sh\nmkdir -p reports\nprintf '%s\\n' \"$@\" > reports/args.txt\necho \"BUILD SUCCESSFUL\"\n"


class BuildTypes(ProjectTest):
    def setUp(self):
        super().setUp()
        self.project = make_project(self.project / "app", build__sh=SCRIPT, gradlew=WRAPPER, s__py="print(1)\n",
                                    requirements__txt="# nothing\n")
        (self.project / "gradlew").chmod(0o755)

    def build(self, kind, *words, **options):
        return self.instance.run("build", self.project, "--type", kind, *words, **options)

    # proves partly: ORB-06
    def test_a_script_build_is_a_bash_script_and_its_arguments(self):
        done = self.build("script", "bash build.sh release '$HOME'", "--artifact-dir", "out", "--name", "by-script")
        self.assertEqual(done.stdout, "built release $HOME\n")
        self.assertEqual((self.project / "out/args.txt").read_text(), "release\n$HOME\n")
        self.assertEqual(self.instance.run_object("by-script")["spec"]["type"], "script")

    # proves partly: ORB-06
    def test_a_gradle_build_is_the_wrapper_and_stays_offline(self):
        done = self.build("gradle", "--artifact-dir", "reports", "--name", "by-gradle", "--", "./gradlew", ":app:check", "-Pa=b")
        self.assertEqual(done.stdout, "BUILD SUCCESSFUL\n")
        self.assertEqual((self.project / "reports/args.txt").read_text().split(),
                         ["--no-daemon", "--console=plain", "--gradle-user-home", ".gradle-home", "--offline", ":app:check", "-Pa=b"])
        run = self.instance.run_object("by-gradle")
        self.assertEqual(run["spec"]["command"], ["./gradlew", ":app:check", "-Pa=b"])
        self.assertEqual(run["spec"]["type"], "gradle")

    def test_each_type_refuses_the_others_commands_and_says_what_would_pass(self):
        before = len(self.instance.get("runs")["items"])
        for kind, command, named in (("script", "python3 s.py", "bash"), ("script", "bash -c id", "-c"),
                                     ("script", "bash build.txt", ".sh"), ("gradle", "bash build.sh", "./gradlew"),
                                     ("gradle", "./gradlew --init-script=x build", "--init-script=x"),
                                     ("gradle", "./gradlew -Dorg.gradle.jvmargs=x build", "-Dorg.gradle.jvmargs=x"),
                                     ("gradle", "/usr/bin/gradle build", "/usr/bin/gradle"),
                                     ("gradle", "./gradlew ../other", "../other")):
            refused = self.build(kind, command, check=False)
            self.assertNotEqual(refused.returncode, 0, command)
            self.assertIn(named, refused.stderr, command)
        (self.project / "gradlew").chmod(0o644)
        self.assertIn("chmod +x", self.build("gradle", "./gradlew build", check=False).stderr)
        self.assertEqual(self.build("make", "make all", check=False).returncode, 2)
        self.assertEqual(len(self.instance.get("runs")["items"]), before)

    def test_only_compute_runs_have_requirements(self):
        self.instance.run("compute", self.project, "python3 s.py", "--name", "first")
        workspace = self.instance.run_object("first")["spec"]["workspace"]
        status, answer = self.instance.post_run("second", {"type": "script", "command": "bash build.sh", "workspace": workspace,
                                                           "requirements": "requirements.txt"})
        self.assertEqual((status, answer["error"]["code"]), (400, "REQUIREMENTS_INVALID"))


if __name__ == "__main__":
    main()
